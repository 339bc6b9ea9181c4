// The parser recovers after an error, so that all errors are reported.
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
