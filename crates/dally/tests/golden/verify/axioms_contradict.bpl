// The axioms are inconsistent: nothing is proved from them.
function f(x: int) : int;
axiom (forall x: int :: {f(x)} f(x) > x);
axiom f(3) == 0;

procedure main()
{
  var y: int;
  y := f(1);
  assert y == 100;
}
