// A task whose result type depends on type parameters is not supported; the message has its location.
type T a;
var g: int;

procedure p<a>(t: T a) returns (r: T a)
{
  r := t;
  g := 1;
}

procedure main()
{
  var t: T int;
  var h: task (T int);
  call {:async} h := p(t);
  yield;
  assert g == 0;
  call t := wait(h);
}
