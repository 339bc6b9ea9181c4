// A lock that is tested in one step and taken in the next: two tasks can both take it.
//
// One delay between the test and the assignment lets the second task take the lock. Another delay, while it is
// in the critical section, lets the first task take the lock as well.
//
// check: bug 2
// check --scheduler dfs: bug 2

var lock: int;
var inside: int;

procedure {:entrypoint} main()
{
  lock := 0;
  inside := 0;
  call {:async} user();
  call {:async} user();
}

procedure user()
{
  assume {:await} lock == 0;
  yield; // the gap: another task may see the lock free, too
  lock := 1;
  inside := inside + 1;
  assert inside == 1;
  yield;
  inside := inside - 1;
  lock := 0;
}
