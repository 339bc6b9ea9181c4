// Civl constructs are recognised and named.
var {:layer 0,2} x: int;
yield procedure {:layer 1} worker() { call other() | other(); }
atomic action {:layer 1} A_Inc() modifies x; { x := x + 1; }
yield invariant {:layer 1} Positive();
preserves x >= 0;
procedure other({:linear} p: int) { }
