// flags: --modular
// Attributes that say what is checked: `{:verified_under}`, `{:selective_checking}`, `{:assumption}` and `{:always_assume}`. Half of
// these procedures have a bug.
procedure positive(x: int);
  requires x > 0;

procedure call_checked(a: bool)
{
  call {:verified_under a} positive(0);
}

procedure call_assumed(a: bool, x: int)
  requires !a ==> x > 0;
{
  call {:verified_under a} positive(x);
  assert x > 0;
}

procedure invariant_checked(a: bool, p: bool)
{
  while (*)
    invariant {:verified_under a} p;
  {
  }
}

procedure invariant_assumed(a: bool, p: bool)
  requires !a ==> p;
{
  while (*)
    invariant {:verified_under a} p;
  {
  }
  assert p;
}

procedure {:selective_checking} selected(x: int, y: int, z: int)
{
  assert x < y;
  assert y < z;
  if (*) {
    assume {:start_checking_here} true;
  }
  assert x < z;
}

procedure {:selective_checking} selected_bug(x: int, y: int, z: int)
{
  assert x < y;
  if (*) {
    assume {:start_checking_here} true;
  }
  assert x < z;
}

procedure assumption(n: int)
{
  var {:assumption} a: bool;
  var before: bool;
  assert a;
  a := a && n > 0;
  before := a;
  havoc a;
  assert a ==> before;
}

procedure assumption_bug()
{
  var {:assumption} a: bool;
  havoc a;
  assert a;
}

procedure assumed_first(x: int) returns (y: int)
  free ensures {:always_assume} y > 3;
  ensures y > 2;
{
  y := x;
}

procedure assumed_late(x: int) returns (y: int)
  ensures y > 2;
  free ensures {:always_assume} y > 3;
{
  y := x;
}
