// A function that calls itself is what its equation says, as far as it is unrolled by the solver.
function sum(n: int): int { if n <= 0 then 0 else n + sum(n - 1) }

procedure main()
{
  var x: int;
  assert sum(4) == 10;
  assume x == 2;
  assert sum(x) == 3;
  assert sum(3) == 7;
}
