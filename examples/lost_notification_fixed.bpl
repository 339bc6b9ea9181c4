// The consumer of lost_notification.bpl, which releases its lock and falls asleep in one step, as a condition
// variable does; the producer holds the lock, too.
//
// check: proved
// check --scheduler dfw: proved

var lock, ready, asleep: bool;

procedure {:entrypoint} main()
{
  lock := false;
  ready := false;
  asleep := false;
  call {:async} consumer();
  call {:async} producer();
}

procedure acquire()
{
  yield;
  assume {:await} !lock;
  lock := true;
}

procedure {:atomic} release_and_sleep()
{
  lock := false;
  asleep := true;
}

procedure consumer()
{
  call acquire();
  if (!ready)
  {
    yield;
    call release_and_sleep();
    assume {:await} !asleep;
    call acquire();
  }
  assert ready;
  lock := false;
}

procedure producer()
{
  call acquire();
  ready := true;
  yield;
  asleep := false;
  lock := false;
}
