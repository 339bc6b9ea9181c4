// A lost notification: the consumer looks, finds nothing, and goes to sleep. If the producer notifies between
// the look and the sleep, nobody is asleep yet, and then nobody wakes the consumer any more.
//
// One delay, and the search reports the deadlock: the consumer waits, and nobody else is left.
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
    yield; // should hold a lock until it sleeps
    asleep := true;
    assume {:await} !asleep;
  }
  assert ready;
}

procedure producer()
{
  ready := true;
  yield;
  asleep := false; // wakes the consumer, if it sleeps
}
