// The ring of token_ring.bpl, whose monitor accounts for the token in transit. There is no token initially; the
// monitor creates one, and never a second one.
//
// check: proved

var has: [int]bool; // the stations with a token
var on_its_way: bool;
var inside: int;

procedure {:entrypoint} main()
{
  has := (lambda station: int :: false);
  on_its_way := false;
  inside := 0;
  call {:async} station(0);
  call {:async} station(1);
  call {:async} station(2);
  call {:async} monitor();
}

procedure station(me: int)
{
  while (true)
  {
    assume {:await} has[me];
    inside := inside + 1;
    assert inside == 1;
    yield;
    inside := inside - 1;
    has[me] := false;
    on_its_way := true;
    yield;
    has[(me + 1) mod 3] := true;
    on_its_way := false;
  }
}

procedure monitor()
{
  while (true)
  {
    yield;
    if (!on_its_way && !has[0] && !has[1] && !has[2])
    {
      has[0] := true;
    }
  }
}
