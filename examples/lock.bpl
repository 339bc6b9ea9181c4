// A lock: `assume {:await}` blocks until the lock is free, and then continues without a switch, so it can take it.
//
// The deposits of deposit.bpl hold the lock from the read to the write: no schedule loses a deposit.
//
// check: proved
// check --preempt: proved
// check --scheduler dfw: proved

var lock: int;
var balance: int;

procedure {:entrypoint} main()
{
  var first, second, third: task;

  lock := 0;
  balance := 0;
  call {:async} first := deposit(10);
  call {:async} second := deposit(5);
  call {:async} third := deposit(1);
  call wait(first);
  call wait(second);
  call wait(third);
  assert balance == 16;
}

procedure acquire()
{
  yield;
  assume {:await} lock == 0;
  lock := 1;
}

procedure release()
{
  lock := 0;
  yield;
}

procedure deposit(amount: int)
{
  var seen: int;

  call acquire();
  seen := balance;
  yield;
  balance := seen + amount;
  call release();
}
