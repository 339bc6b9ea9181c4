// flags: --delays 0 --exact
// The bug needs one delay: with bound 0, every execution within the bound is covered.
var x: int;
procedure main() { x := 0; call {:async} p(); call {:async} q(); }
procedure p() { x := 1; }
procedure q() { assert x == 1; }
