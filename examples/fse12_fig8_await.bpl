// The program of fse12_fig8.bpl for N = 5, where each buffer awaits its turn instead of assuming it: a blocked
// buffer costs no delay, and none is needed for any N.
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
