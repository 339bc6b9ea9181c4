// Two-phase commit with a task for each of the three participants, one for the coordinator, and a timer.
//
// Each participant votes, and then waits for the decision; one that votes no aborts without waiting. The timer
// aborts if there is no decision yet. Every decision is made once, in one atomic step.
//
// check: proved
// check --scheduler portfolio: proved

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
  assert commits ==> decision == commit();
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
  if {:atomic} (decision == none())
  {
    decision := how;
  }
}
