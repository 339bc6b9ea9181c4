// The driver of bluetooth.bpl, where a request increments `pending` before it tests `stopping`, and leaves if the
// driver is stopping. With two requests, every schedule keeps the resources until they are no longer needed.
//
// check: proved
// check --preempt: proved
// check --scheduler portfolio: proved

var pending: int;
var stopping, drained, stopped: bool;

procedure {:entrypoint} main()
{
  pending := 1;
  stopping := false;
  drained := false;
  stopped := false;
  call {:async} dispatch();
  call {:async} dispatch();
  call {:async} stop();
}

procedure enter() returns (ok: bool)
{
  pending := pending + 1;
  yield;
  ok := !stopping;
  if (!ok)
  {
    call leave();
  }
}

// Decrements and tests for zero in one step, like an interlocked decrement.
procedure {:atomic} count_down() returns (last: bool)
{
  pending := pending - 1;
  last := pending == 0;
}

procedure leave()
{
  var last: bool;

  call last := count_down();
  if (last)
  {
    yield;
    drained := true;
  }
}

procedure dispatch()
{
  var ok: bool;

  call ok := enter();
  if (ok)
  {
    yield;
    assert !stopped;
    yield;
    call leave();
  }
}

procedure stop()
{
  stopping := true;
  yield;
  call leave();
  yield;
  assume {:await} drained;
  stopped := true;
}
