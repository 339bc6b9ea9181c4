// [FSE12] Example 1: two task buffers, and a value that grows with each round through both of them.
//
// p continues only after q, in the other buffer, has cleared b. With one round r stays 1. Each increment needs a
// switch to the second buffer and one back, at a `zield`: two delays. Tasks are posted forever, but at most two
// exist at a time, so the states within a bound are finite.
//
// check: bug 2
// check --scheduler rr:reverse: bug 2

var b: bool;
var r: int;

procedure {:entrypoint} {:buffer 0} main0()
{
  b := true;
  r := 1;
  call {:async} p();
}

procedure p()
{
  zield;
  assume !b;
  b := true;
  r := r + 1;
  assert r < 2;
  call {:async} p();
}

procedure {:entrypoint} {:buffer 1} main1()
{
  call {:async} q();
}

procedure q()
{
  zield;
  b := false;
  call {:async} q();
}
