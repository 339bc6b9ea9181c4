// Constructors and built-in functions are always used: a trigger needs its other symbols.
datatype List { Nil(), Cons(head: int) }
function f(x: List): int;
function {:bvbuiltin "bvadd"} add(x: bv8, y: bv8): bv8;
function g(bv8): bool;
axiom (forall x: int :: {f(Cons(x))} f(Cons(x)) == x);
axiom (forall x, y: bv8 :: {g(add(x, y))} g(add(x, y)));
procedure main() {
  var x: bv8;
  assert f(Cons(3)) == 3;
  assert g(add(x, 1bv8));
}
