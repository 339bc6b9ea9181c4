// [SPIN14] Fig. 4: asynchronous calls, each awaited before the next.
//
// dfw reaches every value of i without delays, and so does round robin. The depth-first scheduler df proposes
// the waiting task and spends a delay at each wait: it reaches i <= K with K delays.
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
