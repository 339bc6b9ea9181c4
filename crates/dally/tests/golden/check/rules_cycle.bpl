// flags: --rules rules_cycle.rules
// Contradictions between rules.
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
