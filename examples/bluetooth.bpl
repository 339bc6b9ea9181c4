// A driver that is stopped while it serves requests, after the Bluetooth driver of Qadeer and Wu (KISS, 2004).
//
// `pending` counts the active requests, plus one for the driver itself. When it reaches zero, `drained` is set,
// and the driver frees its resources. But a request tests `stopping` before it increments `pending`: the stop
// routine can run to completion in between.
//
// check: bug 1
// check --scheduler dfs: bug 1
// check --scheduler dfw: bug 1

var pending: int;
var stopping, drained, stopped: bool;

procedure {:entrypoint} main()
{
  pending := 1;
  stopping := false;
  drained := false;
  stopped := false;
  call {:async} dispatch();
  call {:async} stop();
}

procedure enter() returns (ok: bool)
{
  ok := !stopping;
  if (ok)
  {
    yield; // the gap
    pending := pending + 1;
  }
}

procedure leave()
{
  pending := pending - 1;
  if (pending == 0)
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
    assert !stopped; // the request needs the resources of the driver
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
