// A spin lock: `if {:atomic}` tests and sets the lock in one step, and a task that fails tries again later.
//
// Tasks can spin any number of times, so there are infinitely many schedules, but few states: the search
// terminates.
//
// check: proved
// check --scheduler portfolio: proved

var lock: int;
var inside: int;

procedure {:entrypoint} main()
{
  lock := 0;
  inside := 0;
  call {:async} user();
  call {:async} user();
  call {:async} user();
}

procedure spin()
{
  var taken: bool;

  taken := false;
  while (!taken)
  {
    yield;
    if {:atomic} (lock == 0)
    {
      lock := 1;
      taken := true;
    }
  }
}

procedure user()
{
  call spin();
  inside := inside + 1;
  assert inside == 1;
  yield;
  inside := inside - 1;
  lock := 0;
}
