// Misplaced clauses and attributes.
var x: int, {:range 0, 3} y: int;
datatype Pair { Pair(first: int where first > 0) }
axiom (lambda i: int :: { f(i) } i) == m;
axiom f(4:0);
function f(int, x: int): int;
function g(Map int: int): int;
type T a b c = [a b;
procedure p()
{
  yeild;
  x = 1;
  x := 2;
  var late: int;
  assert true;
}
proc q() { }
