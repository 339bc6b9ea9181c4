// The solver unrolls the definition of a recursive function.
function sum(n: int): int { if n <= 0 then 0 else n + sum(n - 1) }

procedure main()
{
  var x: int;
  assert sum(4) == 10;
  assume x == 2;
  assert sum(x) == 3;
  assert sum(3) == 7;
}
