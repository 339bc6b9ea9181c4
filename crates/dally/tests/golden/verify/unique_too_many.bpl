// Three unique constants of a type with two values.
const unique a: bv1;
const unique b: bv1;
const unique c: bv1;
procedure main() {
  assume a == 0bv1 || b == 0bv1 || c == 0bv1;
  assert false;
}
