// The value of the solver has more digits than can be run.
procedure main(x: real)
{
  assert x != 1e9000 * 1e9000;
}
