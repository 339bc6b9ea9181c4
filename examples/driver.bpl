// The driver of driver_fixed.bpl with a seeded bug: a read request is dropped.
//
// The deferred call completes the reads that it has seen, and then resets the counter. An interrupt in between
// has counted another read, which is never completed: the driver waits forever. The bug needs the interleaving
// with the hardware and the interruption by a higher level; one delay, at the `zield` of the deferred call.
//
// check: deadlock 1

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
  finished := 0; // the bug: drops reads that were counted since
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
