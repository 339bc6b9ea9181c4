// A `modifies` clause is checked; without one, the frame is inferred.
var x, y: int;
procedure inferred() { x := 1; y := 2; }
procedure narrow() modifies x; { x := 1; y := 2; }
procedure caller() modifies x; { call inferred(); }
