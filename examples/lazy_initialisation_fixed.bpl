// The connection of lazy_initialisation.bpl, opened under a lock after a second test (double-checked locking).
// Tasks that find an open connection need no lock.
//
// check: proved

var lock: bool;
var connection: int; // 0: not open
var opened: int;

procedure {:entrypoint} main()
{
  lock := false;
  connection := 0;
  opened := 0;
  call {:async} user();
  call {:async} user();
  call {:async} user();
}

procedure connect() returns (c: int)
{
  if (connection == 0)
  {
    yield;
    assume {:await} !lock;
    lock := true;
    if (connection == 0)
    {
      yield;
      opened := opened + 1;
      connection := opened;
    }
    lock := false;
  }
  c := connection;
}

procedure user()
{
  var mine: int;

  call mine := connect();
  yield;
  assert mine == connection && opened == 1;
}
