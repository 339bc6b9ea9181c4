// flags: --json --delays 3
var x: int;
procedure main() { x := 1; assert x == 2; }
