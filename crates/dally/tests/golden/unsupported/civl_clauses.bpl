// Civl clauses and statements in ordinary procedures.
procedure p()
  requires call Inv(1);
  ensures call Inv(2);
  preserves {:expand} (var x := 1; x == 1);
  asserts true;
  refines Atomic;
{
  while (*)
    invariant call Inv(3);
    invariant true;
  {
    par p() | p();
  }
}

procedure q()
  refines left action A { var x: int; x := 1; }
{
}
