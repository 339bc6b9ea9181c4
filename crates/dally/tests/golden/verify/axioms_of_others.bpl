// The axiom mentions `add`, which the program uses; but `add` is replaced by its body, so that the axiom does not matter.
function add(x: int, y: int): int { x + y }
function f(x: int): int;
function g(x: int): int;
axiom (forall x: int :: {g(x)} f(f(x)) > f(x) && f(add(x, 1)) > f(x) + g(f(x)));

procedure main(x: int)
{
  assert add(x, 2) != 7;
}
