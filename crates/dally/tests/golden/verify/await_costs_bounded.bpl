// flags: --scheduler dfw --delays 1 --recursion 1
var ready: bool;
var n: int;

procedure wait_for_it()
{
  assume {:await} ready;
  while (n < 10) { n := n + 1; }
  assert n == 10;
}

procedure {:entrypoint} main()
{
  ready := false;
  n := 0;
  async call wait_for_it();
  ready := true;
}
