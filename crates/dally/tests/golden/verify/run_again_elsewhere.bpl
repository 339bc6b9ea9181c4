// What fails, or waits for ever, in other executions with the same values is not what is looked for.
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
