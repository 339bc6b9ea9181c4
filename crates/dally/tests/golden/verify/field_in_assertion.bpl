// The value has no such field: the solver chooses a number for it, which no execution has.
datatype Shape { Circle(radius: int), Point() }

procedure main()
{
  var s: Shape;
  s := Point();
  assert s->radius != 7;
}
