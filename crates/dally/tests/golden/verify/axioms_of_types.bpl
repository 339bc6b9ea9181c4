// An axiom that enumerates the values of a type applies wherever the type is used.
type Colour;
const unique red: Colour;
const unique green: Colour;
axiom (forall c: Colour :: c == red || c == green);

procedure main() {
  var x, y, z: Colour;
  assert x == y || y == z || x == z;
}
