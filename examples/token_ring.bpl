// A token ring of three stations, and a monitor that creates a new token when it sees none.
//
// The monitor cannot see a token in transit. One delay at that time lets it create a second token; another one
// lets two stations be in the critical section at once.
//
// check: bug 2

var has: [int]bool; // the stations with a token
var inside: int;

procedure {:entrypoint} main()
{
  has := (lambda station: int :: false)[0 := true];
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
    has[me] := false; // the token is in transit
    yield;
    has[(me + 1) mod 3] := true;
  }
}

procedure monitor()
{
  if (!has[0] && !has[1] && !has[2])
  {
    has[0] := true;
  }
}
