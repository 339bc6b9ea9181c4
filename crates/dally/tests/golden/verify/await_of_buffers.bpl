// flags: --zields 2 --yields 2
// In the translation, the other buffer may run as soon as `main` waits; in the program, only after `p` has terminated. A bug
// of the translation is therefore reported only if its replay confirms it.
var g: int;

procedure {:entrypoint} {:buffer 0} main()
{
  g := 0;
  call {:async} p();
  assume {:await} g != 0;
}

procedure {:entrypoint} {:buffer 1} other()
{
  g := 1;
}

procedure p()
{
  assert g == 0;
}
