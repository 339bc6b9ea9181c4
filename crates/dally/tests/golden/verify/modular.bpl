// flags: --modular
// Each procedure against its contract: `caller` needs more than the contract of `next` says, and the invariant of `count` is
// too weak for its postcondition.
procedure next(x: int) returns (y: int)
  requires x >= 0;
  ensures y > x;
{
  y := x + 1;
}

procedure caller()
{
  var a: int;
  call a := next(3);
  assert a > 3;
  assert a == 4;
}

procedure count(n: int) returns (i: int)
  requires n >= 0;
  ensures i == n;
{
  i := 0;
  while (i < n)
    invariant 0 <= i;
  {
    i := i + 1;
  }
}

procedure jump(n: int)
{
  var i: int;
  i := 0;
head:
  assert i >= 0;
  goto body, done;
body:
  assume i < n;
  i := i + 1;
  goto head;
done:
  assert i > -1;
}
