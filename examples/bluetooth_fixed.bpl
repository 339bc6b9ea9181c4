// The driver of bluetooth.bpl, where a request counts itself before it looks at `stopping`, and leaves again
// when it comes too late. With two requests and any schedule, the resources are there when they are needed.
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

// The count and the test for zero are one step, like an interlocked decrement.
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
