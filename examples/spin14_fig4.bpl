// [SPIN14] Fig. 4: asynchronous calls, each waited for before the next.
//
// Every value of i is reached by dfw without a delay, and by round robin, too. The depth-first order df
// proposes the waiting task, and spends a delay at each wait: it reaches i <= K with K delays.
//
// check: bug 0
// check --scheduler dfw: bug 0
// check --scheduler df: bug 3

var i: int;

procedure p() returns (r: int)
{
  r := i;
}

procedure {:entrypoint} main()
{
  var x: task int;
  var y: int;

  i := 0;
  while (*)
  {
    call {:async} x := p();
    call y := wait(x);
    assert y == i;
    i := i + 1;
    assert i != 3;
  }
}
