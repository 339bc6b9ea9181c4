// flags: --scheduler synce --rounds 3
// A task waits for one that is less urgent: under this translation that one never runs, and what is covered says so.
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
