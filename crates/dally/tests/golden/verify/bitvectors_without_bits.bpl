// Solvers have no bitvectors of width 0; Boogie has.
var m: [bv0]int;

procedure main(x: bv8, y: bv0)
{
  assert y == 0bv0 && x[3:3] == y;
  assert x[8:8] ++ x == x ++ y;
  assert m[y] == m[x[0:0]];
  assert m[y] != 7;
}
