// flags: --scheduler df --delays 5
// The bounds up to 5 are 0, 1, 2 and 5; the bug needs three delays.
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
