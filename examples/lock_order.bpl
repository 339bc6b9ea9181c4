// Two transfers take the same two locks in opposite order, and wait for each other.
//
// One delay after the first lock of the first transfer suffices. The search reports a deadlock: no task is
// enabled, and some tasks are blocked.
//
// check: deadlock 1
// check --scheduler dfw: deadlock 1

var lock: [int]bool;
var balance: [int]int;

procedure {:entrypoint} main()
{
  lock := (lambda account: int :: false);
  balance := (lambda account: int :: 100);
  call {:async} transfer(1, 2, 30);
  call {:async} transfer(2, 1, 50);
}

procedure acquire(account: int)
{
  yield;
  assume {:await} !lock[account];
  lock[account] := true;
}

procedure transfer(from: int, to: int, amount: int)
{
  call acquire(from);
  call acquire(to);
  balance[from] := balance[from] - amount;
  balance[to] := balance[to] + amount;
  lock[from] := false;
  lock[to] := false;
}
