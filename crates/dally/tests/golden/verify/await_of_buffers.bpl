// flags: --zields 2 --yields 2
// For the translation, the other buffer may run as soon as `main` waits; in the program, only once `p` has ended. So what is
// found there is a bug only if it is found here.
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
