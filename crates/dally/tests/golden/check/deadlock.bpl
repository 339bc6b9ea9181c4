// Two locks, acquired in opposite orders: the message says where each task is blocked.
var left, right: bool;
procedure main()
{
  left, right := false, false;
  call {:async} first();
  call {:async} second();
}
procedure first()
{
  assume {:await} !left;
  left := true;
  yield;
  assume {:await} !right;
  right := true;
  left, right := false, false;
}
procedure second()
{
  assume {:await} !right;
  right := true;
  yield;
  assume {:await} !left;
  left := true;
  left, right := false, false;
}
