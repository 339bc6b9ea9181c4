// A bank account: look whether there is enough, and then withdraw. Nothing here says `yield`: the program is
// correct if tasks run to their end, and --preempt, which lets tasks be switched before each statement that
// touches a shared variable, finds that two withdrawals can both see enough money.
//
// check: proved
// check --preempt: bug 1
// check --preempt --scheduler dfs: bug 1

var balance: int;

procedure {:entrypoint} main()
{
  balance := 100;
  call {:async} withdraw(80);
  call {:async} withdraw(70);
}

procedure withdraw(amount: int)
{
  if (balance >= amount)
  {
    balance := balance - amount;
    assert balance >= 0;
  }
}
