// From the time before Boogie had reals.
function half(x: int) returns (int) { x / 2 }
