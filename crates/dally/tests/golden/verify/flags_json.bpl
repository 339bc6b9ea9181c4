// flags: --json --zields 3
procedure main()
{
  assert true;
}
