// After an error the parser goes on, so that all are shown.
var balance int;
procedure main()
{
  balance := ;
  assert balance == 1 == 2;
  call deposit(1)
  if (balance > 0 && true || false) { }
  "never closed
}
procedure deposit(amount: int { }
