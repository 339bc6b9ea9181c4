// flags: --delays 1
// Each task follows the choices and values of the solver, also a task with a contract and one without a body.
var g: int;

procedure main(x: int)
  requires x > 10;
{
  g := x;
  while (*) {
    call {:async} p(x + 1);
  }
  call {:async} q();
}

procedure p(y: int)
  requires y > 11;
{
  var d: int;
  havoc d;
  if (*) {
    g := g + d;
  } else {
    g := 2 * g;
  }
  assert g != 99 || y < 13;
}

procedure q();
  modifies g;
  ensures g == 50;
