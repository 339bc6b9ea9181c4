// The deposits of deposit.bpl with three mistakes. `dally print` reports all of them at once.
// print: error
var balance: int;

procedure {:entrypoint} main()
{
  var first, second: task;

  balance := 0;
  call {:async} first := depposit(10);
  call {:async} second := deposit(true);
  call wait(first);
  call wait(second);
  assert blance == 15;
}

procedure deposit(amount: int)
{
  var seen: int;

  seen := balance;
  yield;
  balance := seen + amount;
}
