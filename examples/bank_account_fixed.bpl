// The account of bank_account.bpl, where test and withdrawal are atomic, also with --preempt.
//
// check: proved
// check --preempt: proved

var balance: int;

procedure {:entrypoint} main()
{
  balance := 100;
  call {:async} withdraw(80);
  call {:async} withdraw(70);
}

procedure withdraw(amount: int)
{
  if {:atomic} (balance >= amount)
  {
    balance := balance - amount;
    assert balance >= 0;
  }
}
