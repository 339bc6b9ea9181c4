// Two deposits into one account, each of which reads the balance and writes it back.
//
// With no delay the first deposit completes before the second one starts, and the assertion holds. One
// delay between the read and the write of a deposit loses the other one.

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
