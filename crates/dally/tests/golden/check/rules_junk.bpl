// flags: --rules rules_junk.rules
// Rules that cannot be read.
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
