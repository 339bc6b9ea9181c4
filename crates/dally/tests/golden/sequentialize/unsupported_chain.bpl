// flags: --to buffers --no-chains
// A post by two levels up.

var x: int;

procedure main()
{
  call {:async} {:level 2} interrupt();
}

procedure interrupt()
{
  x := 1;
}
