// The transfers of lock_order.bpl, taking the lock of the lower account first: no deadlock, no lost money.
//
// check: proved
// check --preempt: proved

var lock: [int]bool;
var balance: [int]int;

procedure {:entrypoint} main()
{
  var first, second: task;

  lock := (lambda account: int :: false);
  balance := (lambda account: int :: 100);
  call {:async} first := transfer(1, 2, 30);
  call {:async} second := transfer(2, 1, 50);
  call wait(first);
  call wait(second);
  assert balance[1] == 120 && balance[2] == 80;
}

procedure acquire(account: int)
{
  yield;
  assume {:await} !lock[account];
  lock[account] := true;
}

procedure transfer(from: int, to: int, amount: int)
{
  call acquire(if from < to then from else to);
  call acquire(if from < to then to else from);
  balance[from] := balance[from] - amount;
  balance[to] := balance[to] + amount;
  lock[from] := false;
  lock[to] := false;
}
