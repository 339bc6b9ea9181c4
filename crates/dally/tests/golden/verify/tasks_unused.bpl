// An unused variable of a task type is harmless.
procedure main()
{
  var t, u: task int;
  u := t;
  assert u == t;
}
