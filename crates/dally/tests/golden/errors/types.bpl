datatype Pair { Pair(fst: int, snd: bool) }
var m: [int]bool;
var p: Pair;
procedure main(b: bool) returns (r: int)
{
  r := b;
  m[true] := false;
  r := p->third;
  r := 1 / 2;
  b := true;
  if (r) { r, r := 1, 2; }
  call r := main(1, 2);
  assert m == p;
  assert p is Triple;
}
