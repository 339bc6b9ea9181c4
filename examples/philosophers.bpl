// Dining philosophers: three philosophers, each of whom takes the left fork and then the right one.
//
// All hold their left forks after two delays, one for each philosopher but the last. In reverse order one delay
// suffices for a table of any size: each philosopher blocks at the fork of the one before, and blocking is free.
// The depth-first scheduler of [POPL11] also proposes blocked tasks, and spends a delay for each of them.
//
// check: deadlock 2
// check --scheduler rr:reverse: deadlock 1
// check --scheduler dfs: deadlock 4

var fork: [int]bool; // on the table

procedure {:entrypoint} main()
{
  fork := (lambda place: int :: true);
  call {:async} philosopher(0, 1);
  call {:async} philosopher(1, 2);
  call {:async} philosopher(2, 0);
}

procedure take(place: int)
{
  assume {:await} fork[place];
  fork[place] := false;
  yield;
}

procedure philosopher(left: int, right: int)
{
  call take(left);
  call take(right);
  // eats
  fork[left] := true;
  fork[right] := true;
}
