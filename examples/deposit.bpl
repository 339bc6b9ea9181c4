// Two deposits into one account, each of which reads the balance and writes it back.
//
// With no delay the first deposit is finished before the second one begins, and the assertion holds. One
// delay between the read and the write of a deposit loses the other one.
//
// check: bug 1
// check --scheduler dfs: bug 2
// check --scheduler dfw: bug 1

var balance: int;

procedure {:entrypoint} main()
{
  var first, second: task;

  balance := 0;
  call {:async} first := deposit(10);
  call {:async} second := deposit(5);
  call wait(first);
  call wait(second);
  assert balance == 15;
}

procedure deposit(amount: int)
{
  var seen: int;

  seen := balance;
  yield;
  balance := seen + amount;
}
