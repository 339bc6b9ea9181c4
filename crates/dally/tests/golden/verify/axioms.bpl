// Axioms hold everywhere; those with a trigger are instantiated where it matches.
const limit: int;
axiom 0 < limit && limit < 10;
function f(x: int): int;
axiom (forall x: int :: {f(x)} f(x) > x);
function even(x: int): bool;
axiom even(0);
axiom (forall x: int :: {even(x)} even(x) ==> even(x + 2));

procedure main()
{
  assert limit * limit < 100;
  assert f(f(3)) > 4;
  assert even(0) ==> even(2);
}
