type Account;
var balance: [Account]int;
function total(a: Account): int;
procedure deposit(a: Account, amount: int) { balance[a] := balance[a] + ammount; }
procedure main(a: Acount)
{
  var amount: int;
  var amount: bool;
  call depositt(a, 1);
  assert totl(a) == 0;
  goto somewhere;
  break;
}
