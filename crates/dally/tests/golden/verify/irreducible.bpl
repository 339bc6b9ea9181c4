// A loop with two entries.
procedure main()
{
  var x, y: int;
  x := 0;
  havoc y;
  goto A, B;
A:
  x := x + 1;
  goto B;
B:
  x := x + 2;
  goto A, Done;
Done:
  assert x != 5;
}
