// flags: --delays 1
// The bug needs one delay.
var g: int;

procedure main()
{
  g := 0;
  call {:async} one();
  call {:async} two();
}

procedure one()
{
  yield;
  g := 1;
}

procedure two()
{
  assert g == 1;
}
