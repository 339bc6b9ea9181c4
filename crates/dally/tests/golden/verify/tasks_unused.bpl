// A variable for tasks does no harm.
procedure main()
{
  var t, u: task int;
  u := t;
  assert u == t;
}
