// flags: --to buffers
// Constructs that need a translation are not supported in code expressions.

var g: int;

procedure main()
{
  assume |{ A: call {:async} p(); yield; assert g == 1; return true; }|;
  assert |{ var b: bool; A: call b := zero(); return b; }|;
  assert |{ var k: int; A: k := g; goto B; B: return k == g; }|;
}

procedure p()
{
  g := 3;
}

procedure zero() returns (yes: bool)
{
  yes := g == 0;
}
