// Found by the test `dfw`: with one delay, g0 == 1 and g1 == 0 is reached by [SPIN14] Fig. 6.
var {:range 0, 1} g0: int;
var {:range 0, 1} g1: int;
var {:thread_local} {:range 0, 1} own: int;
procedure main()
{
  var l: int;
  var t0: task int;
  var i0: int;
  l := 0;
  g0 := 0;
  g1 := 1;
  own := 0;
  g1 := own;
  call {:async} t0 := p1(1);
  call l := wait(t0);
  i0 := 0;
  while (i0 < 2) {
    g1 := (g0 + 2) mod 2;
    i0 := i0 + 1;
  }
  g0 := own;
}
procedure p1(a: int) returns (r: int)
{
  var l: int;
  var t0: task int;
  l := 0;
  own := 0;
  r := a;
  g0 := 1;
  call {:async} t0 := p2((g0 + 1) mod 2);
  call {:async} waiter(0, t0);
  g0 := 0;
}
procedure p2(a: int) returns (r: int)
{
  var l: int;
  l := 0;
  own := 0;
  r := a;
  g0 := (g0 + 1) mod 2;
}
procedure waiter(a: int, other: task int) returns (r: int)
{
  var l: int;
  var i0: int;
  l := 0;
  own := 0;
  r := a;
  call l := wait(other);
  i0 := 0;
  while (i0 < 2) {
    g0 := 1;
    i0 := i0 + 1;
  }
}
