// A sequential program: all inputs at once, loops unrolled, contracts checked.
var total: int;
var seen: [int]int;

procedure add(n: int)
  requires n > 0;
{
  total := total + n;
  seen[n] := seen[n] + 1;
}

procedure main()
{
  var i, n: int;
  total := 0;
  i := 0;
  while (i < 3) {
    havoc n;
    assume 0 < n && n < 10;
    call add(n);
    i := i + 1;
  }
  assert total != 27;
}
