// With this axiom the solver answers unknown; without it there is a failure, which may not be a bug.
function f(x: int): int;
function g(x: int): int;
axiom (forall x: int :: {g(x)} f(f(x)) > f(x) && f(x + 1) > f(x) + g(f(x)));

procedure main()
{
  assert f(0) != 7;
}
