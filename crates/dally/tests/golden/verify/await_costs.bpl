// flags: --scheduler dfw --delays 0
// Under dfw, a task that waits for a condition costs delays, and the proof says so.
var ready: bool;

procedure worker()
{
  assume {:await} ready;
}

procedure main()
{
  ready := false;
  call {:async} worker();
  ready := true;
  yield;
  assert ready;
}
