// flags: --preempt --delays 2 --json
procedure main(x: int)
{
  assert x == x;
}
