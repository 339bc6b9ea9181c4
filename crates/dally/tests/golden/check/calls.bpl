// A trace through calls, choices and levels.
var {:range 0, 2} n: int;
var log: int;
procedure {:entrypoint} main()
{
  var r: int;
  log := 0;
  call r := twice(n);
  if (r > 2) {
    call {:async} {:level 1} urgent(r);
  }
  assert log == 0;
}
procedure twice(x: int) returns (y: int)
{
  y := 2 * x;
}
procedure urgent(r: int)
{
  log := r;
}
