procedure two() returns (a: int, b: int) { }
procedure one() returns (a: int) { }
procedure {:buffer} main()
{
  var t: task int;
  var u: task;
  var r: int;
  var {:range 3, 0} n: int;
  var {:range 0, 3} b: bool;
  call {:async} t := two();
  call {:async} u := one();
  call {:async} t := one(1);
  call r := wait(u);
  call r := wait(r);
  assume {:await} r;
}
