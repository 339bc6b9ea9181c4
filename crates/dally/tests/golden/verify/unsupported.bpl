// What has no place in the solver's logic.
procedure main()
{
  var m: <a>[a]int;
  assert m[1] == m[true];
}
