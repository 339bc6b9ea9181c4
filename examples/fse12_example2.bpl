// [FSE12] Example 2: tasks of one buffer that must run in another order than the one in which they are posted.
//
// All p are posted before all q, and a p continues only after a q. In creation order r stays 1, because
// executions are blocked at the assumption of the first p; delaying one p until after a q makes it 2.
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
