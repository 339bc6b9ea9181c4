// The consumer of lost_notification.bpl, which releases its lock and goes to sleep in one step, like a wait on a
// condition variable; the producer notifies with the lock held.
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
