// A code expression may be the body of a function without parameters.
function {:inline} $expr() returns (bool)
{
|{
  var r: bool;
entry:
  r := true;
  return r;
}|
}

procedure {:entrypoint} main()
{
  assert $expr();
}
