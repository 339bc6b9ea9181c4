// flags: --recursion 4
// Five iterations exceed the bound of four: the verdict claims nothing beyond it.
procedure main()
{
  var i: int;
  i := 0;
  while (i < 5)
  {
    i := i + 1;
  }
  assert i == 6;
}
