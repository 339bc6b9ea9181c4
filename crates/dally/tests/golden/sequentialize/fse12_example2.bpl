// flags: --to buffers --yields 2
// [FSE12] Example 2: tasks that are delayed.

var b: bool;
var r: int;

procedure main()
{
  b := true;
  r := 1;
  while (*)
  {
    call {:async} p();
  }
  while (*)
  {
    call {:async} q();
  }
}

procedure p()
{
  while (*)
  {
    yield;
  }
  assume !b;
  b := true;
  r := r + 1;
}

procedure q()
{
  while (*)
  {
    yield;
  }
  b := false;
}
