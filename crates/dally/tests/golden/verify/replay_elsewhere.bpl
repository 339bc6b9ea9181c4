// Other executions with the same values fail or deadlock elsewhere, and are not reported.
function f(x: int): int;
var g: bool;

procedure main()
{
  var x: int;
  g := false;
  assume f(1) == 0;
  if (*) {
    assume {:await} g;
  } else if (*) {
    call {:async} p(x);
  }
}

procedure p(x: int)
{
  assert x == f(x) || f(x) == 1 || x < 7;
}
