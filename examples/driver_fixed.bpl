// A device driver and its hardware ([FSE12 §6], third experiment): two buffers and three levels.
//
// The driver (PASSIVE, level 0) requests two reads and waits until both are completed. The hardware, in a buffer
// of its own, executes the reads one after the other and raises the interrupt line. A task that sees the raised
// line is interrupted by the service routine (DEVICE, level 2), which counts the read and posts a deferred call
// (DISPATCH, level 1) for the rest. The deferred call can itself be interrupted.
//
// The service routine counts without a lock, and yields in between. It cannot race with itself, because no task
// that could start it again runs below it. driver_flat.bpl shows the false alarm if levels are ignored.
//
// check: proved
// check --scheduler dfs: proved

var requests: int; // posted to the hardware
var line: bool; // the interrupt line
var finished: int; // reads that are counted, but not completed
var completed: int;
var in_isr: bool;

procedure {:entrypoint} {:buffer 0} driver()
{
  line := false;
  finished := 0;
  completed := 0;
  in_isr := false;
  requests := 2;
  while (completed < 2)
  {
    assume {:await} line || completed == 2;
    call poll();
  }
}

// The processor tests for interrupts between any two instructions.
procedure poll()
{
  zield;
  if (line)
  {
    line := false;
    call {:async} {:level 2} isr();
  }
}

procedure isr()
{
  var seen: int;

  assert !in_isr;
  in_isr := true;
  seen := finished;
  zield;
  yield;
  finished := seen + 1;
  in_isr := false;
  call {:async} {:level 1} dpc();
}

procedure dpc()
{
  var n: int;

  n := finished;
  call poll();
  finished := finished - n;
  completed := completed + n;
}

procedure {:entrypoint} {:buffer 1} hardware()
{
  assume {:await} requests > 0;
  while (requests > 0)
  {
    requests := requests - 1;
    zield;
    assume {:await} !line;
    line := true;
  }
}
