// flags: --to dfs --delays 0
// [POPL11] Example 4: the no-delay encoding of the program of Fig. 3.

var g: int;

procedure p1()
{
  g := 1;
  call {:async} p2(10);
  g := g + 1;
  call {:async} p3(20);
  g := g + 1;
}

procedure p2(e: int)
{
  g := g * e;
}

procedure p3(e: int)
{
  g := g + e;
}

procedure {:entrypoint} main()
{
  call p1();
}
