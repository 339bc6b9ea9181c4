// flags: --scheduler lal-reps --rounds 2 --preempt
// An atomic section that extends to the end of its task.
var x: int;
var done: bool;

procedure set() {
  call corral_atomic_begin();
  done := true;
  x := x + 1;
}

procedure main() {
  x := 1;
  done := false;
  async call set();
  assume done;
  assert x == 1;
}

procedure corral_atomic_begin();
