// The queue of work_stealing.bpl, whose owner claims the last item with a compare-and-swap, as Chase and Lev's
// does. With two thieves, no item is taken twice.
//
// check: proved
// check --preempt: proved

var items: [int]int;
var top, bottom: int;
var taken: [int]bool; // indexed by item

procedure {:entrypoint} main()
{
  items := (lambda at: int :: 0)[0 := 1][1 := 2];
  top := 0;
  bottom := 2;
  taken := (lambda item: int :: false);
  call {:async} owner();
  call {:async} thief();
  call {:async} thief();
}

procedure take(item: int)
{
  assert !taken[item];
  taken[item] := true;
}

procedure owner()
{
  call pop();
  call pop();
}

procedure pop()
{
  var b, t: int;

  b := bottom - 1;
  bottom := b;
  yield;
  t := top;
  if (t > b) // empty
  {
    bottom := t;
    return;
  }
  if (t == b) // the last item
  {
    bottom := b + 1;
    yield;
    if {:atomic} (top == t)
    {
      top := t + 1;
      call take(items[b]);
    }
    return;
  }
  call take(items[b]);
}

procedure thief()
{
  var t, b: int;

  t := top;
  yield;
  b := bottom;
  if (t < b)
  {
    yield;
    if {:atomic} (top == t)
    {
      top := t + 1;
      call take(items[t]);
    }
  }
}
