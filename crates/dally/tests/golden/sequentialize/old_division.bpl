// flags: --to dfs --delays 0
// `/` of integers causes a warning, and becomes `div` in the output.

var g: int;

procedure main()
{
  g := 7;
  call {:async} halve();
}

procedure halve()
{
  g := g / 2;
  assert g == 3;
}
