// flags: --zields 1 --yields 1
// With levels, `buffers` is the default.
var g: int;

procedure main()
{
  g := 0;
  call {:async} {:level 1} urgent();
  assert g == 0;
}

procedure urgent()
{
  g := 1;
}
