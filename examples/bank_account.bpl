// A bank account: a withdrawal tests the balance, and then subtracts. The program has no `yield`, and is
// correct if tasks run to completion. With --preempt, tasks can be switched before each statement that accesses
// a shared variable, and two withdrawals can both see enough money.
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
