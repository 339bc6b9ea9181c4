// An axiom about one unique constant may exclude a value of another one.
const unique a: int;
const unique b: int;
axiom a == 1;

procedure main() {
  assert b != 1;
}
