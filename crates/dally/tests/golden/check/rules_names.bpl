// flags: --rules rules_names.rules
// Names that the program does not have.
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
