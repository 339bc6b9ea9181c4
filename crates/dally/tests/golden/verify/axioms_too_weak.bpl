// No axiom states that the limit is even.
const limit: int;
axiom 0 < limit && limit < 10;

procedure main()
{
  assert limit mod 2 == 0;
}
