// flags: --to dfs --delays 1
// Contracts, implementations, atomic sections, gotos, maps, datatypes, thread-local variables, awaits.

datatype Pair { Pair(left: int, right: bool) }

var m: [int]int;
var pair: Pair;
var never_changed: int;
var {:thread_local} mine: int;

procedure main(n: int)
  requires n > 0;
  modifies m, pair;
{
  m[0] := n;
  pair := Pair(n, true);
  call {:async} p(n);
  if {:atomic} (m[0] == n)
  {
    yield;
    call mine := q();
  }
}

procedure p(n: int) returns (r: int)
  ensures r == old(m[0]) + never_changed;
{
start:
  mine := n;
  assume {:await} pair->right;
  goto done, again;
again:
  yield;
  goto done;
done:
  r := m[0] + never_changed;
}

procedure q() returns (r: int);
  modifies m;
  ensures r > 0;

implementation q() returns (s: int)
{
  var i: int;

  yield;
  s := 1;
  while (i < 2)
    invariant s > 0;
  {
    i := i + 1;
  }
}
