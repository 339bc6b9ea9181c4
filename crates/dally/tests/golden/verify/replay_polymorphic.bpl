// Functions and datatypes with type parameters.
type Box a;
datatype Option<T> { None(), Some(value: T) }

function box<a>(x: a): Box a;
function size<a>(x: a): int;

procedure main()
{
  var o: Option int;
  assume o is Some;
  assert box(1) == box(2) || size(1) == size(true) || o->value == 3;
}
