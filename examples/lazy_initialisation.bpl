// Lazy initialisation: the first task that needs the connection opens it. Two tasks that both find none open two.
//
// check: bug 1
// check --scheduler dfs: bug 1

var connection: int; // 0: not open
var opened: int;

procedure {:entrypoint} main()
{
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
    yield; // opening takes time
    opened := opened + 1;
    connection := opened;
  }
  c := connection;
}

procedure user()
{
  var mine: int;

  call mine := connect();
  assert opened == 1;
}
