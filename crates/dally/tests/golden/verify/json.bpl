// flags: --json --delays 0
var g: int;

procedure main()
{
  call {:async} p();
}

procedure p()
{
  assert g > 0;
}
