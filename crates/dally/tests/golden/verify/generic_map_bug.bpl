// Elements of a map with a type parameter differ at indices of different types.
procedure main()
{
  var m: <a>[a]int;
  assert m[1] == m[true];
}
