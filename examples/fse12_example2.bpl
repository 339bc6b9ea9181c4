// [FSE12] Example 2: tasks of one buffer, posted in an order that has to be changed to get anywhere.
//
// All p are posted before all q, and a p goes on only after a q. In the order of their creation r stays 1 (the
// executions end at the assumption of the first p); one delay of a p to after a q makes it 2.
//
// check: bug 1
// check --scheduler dfs: bug 1
// check --scheduler rr:reverse: bug 0

var b: bool;
var r: int;

procedure {:entrypoint} main()
{
  var ps, qs: int;

  b := true;
  r := 1;
  havoc {:range 0, 2} ps;
  havoc {:range 0, 2} qs;
  while (ps > 0)
  {
    call {:async} p();
    ps := ps - 1;
  }
  while (qs > 0)
  {
    call {:async} q();
    qs := qs - 1;
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
  assert r < 2;
}

procedure q()
{
  while (*)
  {
    yield;
  }
  b := false;
}
