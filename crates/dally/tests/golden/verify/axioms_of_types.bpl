// An axiom that names all values of a type holds wherever the type is used.
type Colour;
const unique red: Colour;
const unique green: Colour;
axiom (forall c: Colour :: c == red || c == green);

procedure main() {
  var x, y, z: Colour;
  assert x == y || y == z || x == z;
}
