// The program of fse12_fig8.bpl, where each buffer waits for its turn instead of assuming it: a buffer that
// cannot move hands over for nothing, and no delay is needed, for any N. (This one: N = 5.)
//
// check: bug 0

var x: int;

procedure {:entrypoint} {:buffer 0} main1()
{
  var i: int;

  x := 0;
  i := 0;
  while (true)
  {
    assume {:await} x == 2 * i;
    call {:async} {:level 1} bar();
    i := i + 1;
  }
}

procedure {:entrypoint} {:buffer 1} main2()
{
  var j: int;

  j := 0;
  while (true)
  {
    assume {:await} x == 2 * j + 1;
    call {:async} {:level 1} bar();
    j := j + 1;
    assert x != 10;
  }
}

procedure bar()
{
  var t: int;

  t := x;
  zield;
  x := t + 1;
}
