// Lambdas are maps that capture values where they are evaluated. The last assertion fails.
var base: int;

procedure main()
{
  var m: [int]int;
  var p: [int, int]bool;
  base := 10;
  m := (lambda i: int :: i + base);
  base := 20;
  assert m[5] == 15;
  m[5] := 1;
  assert m[5] == 1 && m[6] == 16;
  p := (lambda i: int, j: int :: i < j);
  assert p[1, 2] && !p[2, 1];
  assert m[7] == 27;
}
