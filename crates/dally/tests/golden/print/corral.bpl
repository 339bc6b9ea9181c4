// The Corral spelling is printed in canonical form. No `modifies` clauses are needed.
var x: int;
procedure corral_atomic_begin();
procedure corral_atomic_end();
procedure corral_getThreadID() returns (tid: int);

procedure {:entrypoint} main()
{
  var tid: int;
  async call bump();
  async call bump();
  call tid := corral_getThreadID();
  yield;
  assert x <= 2;
}

procedure bump()
{
  call corral_atomic_begin();
  x := x + 1;
  call corral_atomic_end();
}
