// The tasks of two_phase_commit_fixed.bpl, where coordinator and timer test for a decision in one step and decide
// in the next: the timer aborts, some participants learn of it, and then the coordinator commits.
//
// One delay lets the timer decide between test and decision of the coordinator; another one makes a
// participant late, which then learns of the commit.
//
// check: bug 2
// check --scheduler rr:reverse: bug 3

datatype Decision { none(), commit(), abort() }

var votes, answers: int;
var decision: Decision;
var outcome: [int]Decision; // of each participant

procedure {:entrypoint} main()
{
  votes := 0;
  answers := 0;
  decision := none();
  outcome := (lambda p: int :: none());
  call {:async} participant(1);
  call {:async} participant(2);
  call {:async} participant(3);
  call {:async} coordinator();
  call {:async} timer();
}

procedure participant(me: int)
{
  answers := answers + 1;
  if (*)
  {
    outcome[me] := abort();
    return;
  }
  votes := votes + 1;
  yield;
  assume {:await} decision != none();
  outcome[me] := decision;
  call agree();
}

procedure agree()
{
  var commits, aborts: bool;

  commits := outcome[1] == commit() || outcome[2] == commit() || outcome[3] == commit();
  aborts := outcome[1] == abort() || outcome[2] == abort() || outcome[3] == abort();
  assert !(commits && aborts);
}

procedure coordinator()
{
  yield;
  assume {:await} answers == 3;
  call decide(if votes == 3 then commit() else abort());
}

procedure timer()
{
  yield;
  call decide(abort());
}

procedure decide(how: Decision)
{
  if (decision == none())
  {
    yield; // the gap
    decision := how;
  }
}
