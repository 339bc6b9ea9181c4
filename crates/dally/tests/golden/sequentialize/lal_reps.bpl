// flags: --to lal-reps --rounds 2 --preempt
// Context-bounded search of two tasks that race.

var x: int;

procedure main()
{
  x := 0;
  call {:async} bump();
  call {:async} bump();
}

procedure bump()
{
  var l: int;

  l := x;
  x := l + 1;
}
