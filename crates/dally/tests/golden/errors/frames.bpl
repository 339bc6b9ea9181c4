// A procedure with a `modifies` clause is held to it; one without gets the frame that it needs.
var x, y: int;
procedure inferred() { x := 1; y := 2; }
procedure narrow() modifies x; { x := 1; y := 2; }
procedure caller() modifies x; { call inferred(); }
