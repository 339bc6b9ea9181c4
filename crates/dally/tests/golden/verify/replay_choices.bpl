// Replaying without the choices of the solver would enumerate too many executions.
procedure main()
{
  var x, n: int;
  x, n := 0, 0;
  while (*) {
    if (*) {
      x := 2 * x;
    } else if (*) {
      x := x + 1;
    } else {
      havoc x;
      assume x == n;
    }
    n := n + 1;
  }
  assert x != 14 || n < 7;
}
