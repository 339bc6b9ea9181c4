// flags: --to buffers --no-chains --json
// Diagnostics as JSON.

var x: int;

procedure main()
{
  call {:async} {:level 2} interrupt();
}

procedure interrupt()
{
  x := 1;
  call {:async} {:level 1} main();
}
