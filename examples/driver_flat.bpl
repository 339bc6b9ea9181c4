// The driver of driver_fixed.bpl without levels: a false alarm.
//
// Without levels the service routine does not run immediately; the driver continues and may start another one.
// The two race, and the assertion fails. The driver is correct; the model is not. ([FSE12 §6]: a tool without
// priorities "gets distracted and reports a data race in the ISR, which is incorrect".)
//
// check: bug 3

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
    call {:async} isr();
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
  call {:async} dpc();
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
