// flags: --to df
// The type of the parameter is not determined.

procedure main<T>(t: T)
{
  assert t == t;
}
