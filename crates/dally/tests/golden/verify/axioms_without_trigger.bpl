// Nothing uses the trigger, and yet the axiom speaks of what is used: so there may be no bug.
function f(x: int): int;
function g(x: int): int;
axiom (forall x: int :: {g(x)} f(x) > 0);

procedure main()
{
  assert f(0) > 0;
}
