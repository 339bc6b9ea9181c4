// The values of an arbitrary integer cannot be enumerated.
var x: int;
procedure main()
{
  havoc x;
  if (x > 0) {
    x := 0;
  }
}
