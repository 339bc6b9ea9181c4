// What an axiom says of a unique constant may forbid a value to another one.
const unique a: int;
const unique b: int;
axiom a == 1;

procedure main() {
  assert b != 1;
}
