// Four tasks count under a lock, but one of them takes the wrong lock.
//
// The faulty task is posted last. Round robin in creation order still needs only one delay: the tasks between it
// and the delayed one are blocked at the right lock, and blocked tasks cost nothing.
//
// check: bug 1
// check --scheduler rr:reverse: bug 1

var held: [int]bool;
var count: int;

procedure {:entrypoint} main()
{
  var a, b, c, d: task;

  held := (lambda l: int :: false);
  count := 0;
  call {:async} a := increment(1);
  call {:async} b := increment(1);
  call {:async} c := increment(1);
  call {:async} d := increment(2); // the wrong lock
  call wait(a);
  call wait(b);
  call wait(c);
  call wait(d);
  assert count == 4;
}

procedure increment(l: int)
{
  var seen: int;

  assume {:await} !held[l];
  held[l] := true;
  seen := count;
  yield;
  count := seen + 1;
  held[l] := false;
}
