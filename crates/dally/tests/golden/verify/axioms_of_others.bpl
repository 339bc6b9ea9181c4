// The axiom mentions a function that the program uses, and says nothing of it: its body stands in its place.
function add(x: int, y: int): int { x + y }
function f(x: int): int;
function g(x: int): int;
axiom (forall x: int :: {g(x)} f(f(x)) > f(x) && f(add(x, 1)) > f(x) + g(f(x)));

procedure main(x: int)
{
  assert add(x, 2) != 7;
}
