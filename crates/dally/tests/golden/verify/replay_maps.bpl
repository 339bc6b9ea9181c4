// Rows that differ in every entry, and a map that the solver gives as a function.
var set: [int]bool;

procedure insert(x: int);
  modifies set;
  ensures set[x];
  ensures set == old(set)[x := true];

procedure main()
{
  var m: [int, int]int;
  var i: int;
  set := (lambda j: int :: false);
  call insert(3);
  call insert(i);
  assert m[1, 2] != 3 || m[2, 1] != 4 || !set[4];
}
