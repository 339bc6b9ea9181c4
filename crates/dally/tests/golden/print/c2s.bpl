// The c2s spelling is printed in canonical form.
var m_bmp: int;

procedure main()
{
  var t: task int;
  var r: int;
  call {:async t} r := load(3);
  assume {:yield} true;
  assume {:wait r, t} true;
  assert r == m_bmp;
}

procedure load(n: int) returns (r: int)
{
  m_bmp := n;
  r := n;
}
