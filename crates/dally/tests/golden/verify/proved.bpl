// No bound is reached: functions, axioms, datatypes, bitvectors, reals, quantifiers and old.
type Ref;
const unique a, b: Ref;
function next(r: Ref): Ref;
axiom next(a) == b;
function twice(x: int): int { x + x }
function {:bvbuiltin "bvadd"} plus(x: bv8, y: bv8): bv8;
datatype Pair { Pair(left: int, right: int) }
var g: int;

procedure bump() returns (p: Pair)
  ensures g == old(g) + 1;
{
  g := g + 1;
  p := Pair(g, twice(g));
}

procedure outside() returns (x: int);
  modifies g;
  ensures x > g;

procedure main()
{
  var p: Pair;
  var m: [int, int]bool;
  var x: int;
  call p := bump();
  assert p->right == 2 * p->left;
  assert next(a) != a;
  assert plus(255bv8, 1bv8) == 0bv8;
  m[1, 2] := true;
  assert (exists i: int :: m[1, i]);
  call x := outside();
  assert x > g;
  assert 1.0 / 2.0 == 0.5;
  p := p->(left := 7);
  assert p->left == 7 && p is Pair;
}
