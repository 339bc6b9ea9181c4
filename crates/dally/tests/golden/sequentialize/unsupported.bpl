// flags: --to dfw
// Constructs that dfw cannot translate.

var t: task int;

procedure {:entrypoint} main()
{
  var n: int;

  call {:async} t := p();
  call {:async} {:level 1} q();
  call n := corral_getThreadID();
  call corral_atomic_begin();
  if (n > 0)
  {
    call corral_atomic_end();
  }
}

procedure p() returns (r: int)
{
  r := 1;
}

procedure q()
{
}

procedure {:entrypoint} {:buffer 1} other()
{
}
