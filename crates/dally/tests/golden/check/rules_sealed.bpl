// flags: --rules rules_sealed.rules
// Seals in rules, and the cost of delays.
procedure {:entrypoint} main()
{
  call {:async} Worker();
  call {:async} Timer();
}

var ready: bool;

procedure Worker()
{
  ready := true;
}

procedure Timer()
{
  ready := false;
}
