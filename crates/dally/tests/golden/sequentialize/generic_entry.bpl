// flags: --to df
// Nobody says what the type of the parameter is.

procedure main<T>(t: T)
{
  assert t == t;
}
