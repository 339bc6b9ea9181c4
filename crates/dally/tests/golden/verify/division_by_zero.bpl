// Division by zero has an arbitrary but fixed value.
procedure main()
{
  var x, y: int;
  assume y == 0 && x == 5;
  assert x div y == 5 div 0;
  assert x mod y == x div y;
}
