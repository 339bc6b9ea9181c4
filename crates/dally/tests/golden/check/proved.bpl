// flags: --threads 2
// A lock protects the update.
var lock: bool;
var x: int;
procedure main()
{
  var a, b: task;
  lock := false;
  x := 0;
  call {:async} a := add();
  call {:async} b := add();
  call wait(a);
  call wait(b);
  assert x == 2;
}
procedure add()
{
  var seen: int;
  assume {:await} !lock;
  lock := true;
  seen := x;
  yield;
  x := seen + 1;
  lock := false;
}
