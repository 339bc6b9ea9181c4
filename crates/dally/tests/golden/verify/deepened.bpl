// flags: --scheduler df --delays 5
// Bounds on the way to 5 are 0, 1 and 2; three delays are needed.
var g: int;

procedure main()
{
  g := 0;
  call {:async} first();
  call {:async} second();
}

procedure first()
{
  assume g == 1;
  yield;
  assert g != 2;
}

procedure second()
{
  g := 1;
  yield;
  g := 2;
}
