// flags: --scheduler lal-reps --rounds 2 --preempt
// If `set` could be preempted in its atomic section, which extends to its end, `done` would be true too early.
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
  assert x == 2;
}

procedure corral_atomic_begin();
