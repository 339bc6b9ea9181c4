// flags: --threads 1 --rules driver.rules
// result: with driver.rules: bug 0; without: no bug with 4 delays of rr (docs/schedulers.md)
//
// A driver with a log of ten entries, which it does not guard. Each request is completed by a deferred procedure call,
// which adds an entry, and cleaned up by a worker item, which removes one. The log overflows if ten requests are completed
// before the first worker item runs: worker items have the least priority in a real system, but not in the order of a
// general scheduler.
var entries: int;

procedure {:entrypoint} main()
{
  var i: int;
  entries := 0;
  i := 0;
  while (i < 10) {
    call {:async} Request();
    yield;
    i := i + 1;
  }
}

procedure Request()
{
  call {:async} CleanUp();
  call {:async} Complete();
}

procedure Complete()
{
  entries := entries + 1;
  assert entries < 10;
}

procedure CleanUp()
{
  entries := entries - 1;
}
