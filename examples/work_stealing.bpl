// A work-stealing queue: its owner pushes and pops at the bottom, a thief steals at the top.
//
// When one item is left, owner and thief compete for it by moving `top`. This owner moves `top` without testing
// if the thief has done so: both get the last item.
//
// check: bug 1
// check --scheduler dfs: bug 1

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
    top := t + 1; // the bug: should be a compare-and-swap
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
