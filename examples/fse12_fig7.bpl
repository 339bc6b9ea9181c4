// [FSE12] Fig. 7, for N = 3: a task of level 0 posts one of level 1, which interrupts it immediately.
//
// The assertion fails after the two levels have alternated N times. A tool that encodes levels by
// synchronisation needs a context switch for each alternation. Here an interruption is part of the scheduler's
// order, and the bug is found without delays for every N.
//
// check: bug 0
// check --preempt: bug 0
// check --scheduler dfs: bug 0

const N: int;
axiom N == 3;

var x: int;
var cont: bool;

procedure {:entrypoint} main()
{
  x := 0;
  cont := true;
  call foo();
}

procedure foo()
{
  if (cont)
  {
    if (*)
    {
      cont := false;
      call {:async} {:level 1} bar();
      call {:async} {:level 0} foo();
    }
  }
}

procedure bar()
{
  var t: int;

  t := x;
  x := t + 1;
  assert x != N;
  if (*)
  {
    cont := true;
  }
}
