// A lost notification: the consumer tests for an item, finds none, and goes to sleep. If the producer notifies
// between the test and the sleep, the notification has no effect, and the consumer sleeps forever.
//
// One delay suffices. The search reports a deadlock: the consumer is blocked, and no other task is left.
//
// check: deadlock 1
// check --scheduler dfs: deadlock 1
// check --scheduler dfw: deadlock 1

var ready, asleep: bool;

procedure {:entrypoint} main()
{
  ready := false;
  asleep := false;
  call {:async} consumer();
  call {:async} producer();
}

procedure consumer()
{
  if (!ready)
  {
    yield; // the bug: should hold a lock until it sleeps
    asleep := true;
    assume {:await} !asleep;
  }
  assert ready;
}

procedure producer()
{
  ready := true;
  yield;
  asleep := false; // wakes the consumer if it is asleep
}
