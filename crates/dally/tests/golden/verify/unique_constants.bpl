// Unique constants of a type are distinct; other constants need not be.
type Ref;
const unique a, b: Ref;
const unique one, two: int;
const c, d: Ref;

procedure main()
{
  assert a != b;
  assert one != two;
  assert c != d;
}
