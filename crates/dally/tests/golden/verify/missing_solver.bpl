// flags: --solver no-such-solver
procedure main()
{
  var x: int;
  assert x == 0;
}
