// Equations are solved before the solver sees them: the values of what they define are asked for afterwards.
procedure main()
{
  var a, b, c, x: int;
  assume x + 1 == 8;
  assume (if c > 0 then a else b) == c + 3;
  assert c != x - 3;
}
