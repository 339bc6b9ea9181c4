// [POPL11] Fig. 3: p1 posts p2 and then p3, and the bag of pending tasks allows both orders.
//
// Without delays, a depth-first or round-robin scheduler runs p1, p2, p3, and the values of g are those in the
// figure. The only other execution runs p3 before p2, and takes one delay of p2.
//
// check: bug 1
// check --scheduler dfs: bug 1
// check --scheduler dfw: bug 1
// check --scheduler rr:reverse: bug 0

var g: int;

procedure {:entrypoint} p1()
{
  g := 1;
  call {:async} p2(10);
  g := g + 1;
  call {:async} p3(20);
  g := g + 1;
}

procedure p2(e: int)
{
  assert g == 3;
  g := g + e;
}

procedure p3(e: int)
{
  g := g + e;
}
