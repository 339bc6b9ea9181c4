// flags: --to dfw --delays 1
// [SPIN14] Fig. 4: all values are reachable without a delay.

var i: int;

procedure p() returns (r: int)
{
  r := i;
}

procedure main()
{
  var x: task int;
  var y: int;

  i := 0;
  while (*)
  {
    call {:async} x := p();
    call y := wait(x);
    i := i + 1;
  }
}
