// [SPIN14 §7] P(N), for N = 5: a chain of N awaited asynchronous calls, and then an assertion that fails.
//
// dfw needs no delay for any N, df needs N.
//
// check: bug 0
// check --scheduler dfw: bug 0
// check --scheduler df: bug 5
// check --scheduler rtc: bug 0

procedure nothing()
{
}

procedure {:entrypoint} main()
{
  var t: task;
  var n: int;

  n := 0;
  while (n < 5)
  {
    call {:async} t := nothing();
    call wait(t);
    n := n + 1;
  }
  assert false;
}
