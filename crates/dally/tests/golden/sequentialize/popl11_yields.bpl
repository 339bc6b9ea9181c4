// flags: --to dfs --delays 1
// [POPL11] Fig. 6, with a round for the one delay.

var g: int;

procedure main()
{
  call {:async} p(1);
  yield;
  g := 2;
}

procedure p(e: int)
{
  yield;
  assert g != e;
}
