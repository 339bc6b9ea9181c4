// [FSE12] Fig. 8, for N = 2: two buffers take turns in counting to 2 N.
//
// A switch to the other buffer takes a delay at a `zield`, unless the current buffer is done: 2 N - 2 delays. No
// tasks need to be reordered within a buffer.
//
// check: bug 2
// check --scheduler dfs: bug 2

var x: int;

procedure {:entrypoint} {:buffer 0} main1()
{
  var i: int;

  x := 0;
  i := 0;
  while (*)
  {
    zield;
    assume x == 2 * i;
    call {:async} {:level 1} bar();
    i := i + 1;
  }
}

procedure {:entrypoint} {:buffer 1} main2()
{
  var j: int;

  j := 0;
  while (*)
  {
    zield;
    assume x == 2 * j + 1;
    call {:async} {:level 1} bar();
    j := j + 1;
    assert x != 4;
  }
}

procedure bar()
{
  var t: int;

  t := x;
  zield;
  x := t + 1;
}
