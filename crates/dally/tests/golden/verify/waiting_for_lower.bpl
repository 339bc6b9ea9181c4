// flags: --scheduler synce --rounds 3
// A task waits for a task of lower level, which never runs under this translation; the verdict says so.
procedure main() {
  call {:async} {:level 1} urgent();
}

procedure urgent() {
  var other: task;
  call {:async} {:level 0} other := later();
  call wait(other);
  assert false;
}

procedure later() {}
