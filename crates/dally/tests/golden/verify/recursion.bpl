// flags: --recursion 3
// Within the bound there is no bug; one level deeper there is one.
procedure down(n: int)
{
  assert n > 0;
  call down(n - 1);
}

procedure main()
{
  call down(4);
}
