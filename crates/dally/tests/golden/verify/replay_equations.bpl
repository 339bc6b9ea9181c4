// Equations are solved before the query: the values of the variables that they define are evaluated afterwards.
procedure main()
{
  var a, b, c, x: int;
  assume x + 1 == 8;
  assume (if c > 0 then a else b) == c + 3;
  assert c != x - 3;
}
