// Constructs without an SMT encoding.
procedure main()
{
  var m: <a>[a]int;
  assert m[1] == m[true];
}
