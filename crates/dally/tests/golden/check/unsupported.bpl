// All constructs that cannot be evaluated are reported before the search.
function f(x: int): int;
procedure main()
{
  var x: int;
  x := f(1);
  assert (forall i: int :: i * i >= 0);
}
