// flags: --recursion 4
// Five iterations are more than four: nothing is claimed beyond.
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
