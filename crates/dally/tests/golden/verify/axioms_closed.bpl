// Nothing uses the trigger, and the axiom speaks of nothing but numbers: it cannot hold, so that no execution is one.
function add(x: int, y: int): int { x + y }
function g(x: int): int;
axiom (forall x: int :: {g(x)} add(x, 1) > 5);

procedure main(x: int)
{
  assert add(x, 2) != 7;
}
