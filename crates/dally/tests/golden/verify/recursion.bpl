// flags: --recursion 3
// Within the bound there is no bug; with one more level there is.
procedure down(n: int)
{
  assert n > 0;
  call down(n - 1);
}

procedure main()
{
  call down(4);
}
