// The solver has no such function.
function {:builtin "MapFold"} add(a: [int]int, b: [int]int): [int]int;

procedure main(a: [int]int)
{
  assert add(a, a)[0] != 4;
}
