// A work-stealing queue: its owner puts and takes at the bottom, a thief steals from the top.
//
// When one item is left, owner and thief meet, and each has to claim it by moving `top`. This owner moves it
// without looking whether the thief has done so meanwhile: both get the last item.
//
// check: bug 1
// check --scheduler dfs: bug 1

var items: [int]int;
var top, bottom: int;
var taken: [int]bool; // by item

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
  if (t == b) // the last one
  {
    bottom := b + 1;
    yield;
    top := t + 1; // should be a compare-and-swap
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
