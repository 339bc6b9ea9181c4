// A token ring of three stations, and a monitor that makes a new token when it sees none.
//
// A token that is on its way is not to be seen. One delay while it is lets the monitor make a second one; one
// more lets two stations be inside at once.
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
    has[me] := false; // the token is on its way
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
