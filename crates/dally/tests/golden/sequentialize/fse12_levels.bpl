// flags: --to buffers --yields 1
// [FSE12] Fig. 5, with a post by two levels up.

var x: int;

procedure main()
{
  x := 0;
  call {:async} {:level 2} interrupt();
  assert x == 1;
}

procedure interrupt()
{
  x := x + 1;
  call {:async} {:level 1} deferred();
}

procedure deferred()
{
  x := x + 1;
}
