// flags: --to buffers
// A task whose parameter has the name of a global: the wrappers need both.

var g: int;

procedure main()
{
  g := 1;
  call {:async} {:level 1} p(2);
  assert g == 1;
}

procedure p(g: int)
{
  assert g == 2;
}
