// Three nested lambdas would be maps with 2^30 entries.
procedure main()
{
  var m: [bv10][bv10][bv10]bool;
  m := (lambda x: bv10 :: (lambda y: bv10 :: (lambda z: bv10 :: x == y || y == z)));
  assert m[1bv10][1bv10][2bv10];
}
