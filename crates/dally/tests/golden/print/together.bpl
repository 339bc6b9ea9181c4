// Variables of one declaration are printed together; `*` is an arbitrary value, or an unused result.
type {:abstract} Ref, Pair a b, Refs = [int]Ref;
var x, y: int, b: bool;
var {:range 0, 3} low, high: int where low <= high, other: int;
datatype Point { Point(x, y: int), Named(name: Ref) }
function distance(a, b: Point, {:k 1} scale, {:k 2} shift: int): int;
axiom (forall {:k} i, j: int, {:k} k: int, m, n: bool :: i + j == k ==> m && n);
procedure choose({:in} lo, hi: int where lo <= hi, any: bool) returns (r, s: int where r <= s);
procedure main()
{
  var i, j: int;
  var {:k} k, l: int, m: bool;
  call i, j := choose(*, 10, *);
  call *, j := choose(i, *, true);
  async call choose(*, *, *);
}
