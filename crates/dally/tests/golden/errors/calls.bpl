// Calls with wrong arguments or results.
procedure pair(x: int) returns (a: int, b: int);
procedure one() returns (a: int);
procedure none();
var g: int;

procedure main()
{
  var x: int;
  var b: bool;

  call pair(1);
  call x, x, x := pair(*);
  call x, x := pair(1);
  call x, b := one();
  call x := none();
  call *, b := pair(true);
}
