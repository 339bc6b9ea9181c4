// A program for versions of Boogie without reals.
function half(x: int) returns (int) { x / 2 }
