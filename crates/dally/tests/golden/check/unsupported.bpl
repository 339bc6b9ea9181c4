// What cannot be evaluated is reported before the search, all at once.
function f(x: int): int;
procedure main()
{
  var x: int;
  x := f(1);
  assert (forall i: int :: i * i >= 0);
}
