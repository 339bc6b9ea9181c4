// flags: --modular
// Generic functions whose type parameters only a coercion determines, and quantifiers over types without variables.
type Box;
type Vec _;
function box<T>(x: T): Box;
function unbox<T>(b: Box): T;
axiom (forall<T> x: T :: {box(x)} unbox(box(x)): T == x);
function empty<T>(): Vec T;
function len<T>(v: Vec T): int;
axiom (forall<T> :: len(empty(): Vec T) == 0);

procedure boxes(x: int, y: bool)
{
  assert unbox(box(x)): int == x;
  assert unbox(box(y)): bool == y;
  assert len(empty(): Vec int) == len(empty(): Vec bool);
}

procedure wrong(x: int, y: int)
{
  assert unbox(box(x)): int == y;
}
