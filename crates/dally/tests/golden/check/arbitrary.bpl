// An arbitrary integer cannot be tried value by value.
var x: int;
procedure main()
{
  havoc x;
  if (x > 0) {
    x := 0;
  }
}
