// flags: --to buffers --zields 2 --yields 1
// [FSE12] Example 1: two buffers.

var b: bool;
var r: int;

procedure {:entrypoint} {:buffer 0} main0()
{
  b := true;
  r := 1;
  call {:async} p();
}

procedure p()
{
  zield;
  assume !b;
  b := true;
  r := r + 1;
  call {:async} p();
}

procedure {:entrypoint} {:buffer 1} main1()
{
  call {:async} q();
}

procedure q()
{
  zield;
  b := false;
  call {:async} q();
}
