// flags: --scheduler df --delays 1
var g: int;

procedure main()
{
  var t: task int;
  var r: int;
  g := 0;
  call {:async} t := work(5);
  call r := wait(t);
  assert r == 6 && g == 1;
}

procedure work(n: int) returns (r: int)
{
  g := g + 1;
  r := n + 1;
}
