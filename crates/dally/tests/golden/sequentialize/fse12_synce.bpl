// flags: --to synce --rounds 2
// [FSE12] SYNCE.

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
