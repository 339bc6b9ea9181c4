// A tool's memory model: an initialiser constrains all elements, a frame condition keeps all but one.
// The solver gets instances for the elements in use.
var handlers, memory: [int]int;

procedure main()
  modifies handlers, memory;
{
  var p: int;
  var before: [int]int;

  assume (forall x: int :: {handlers[x]} handlers[x] <= 0 || handlers[x] > 298);
  before := memory;
  havoc memory;
  assume (forall x: int :: x == p || memory[x] == before[x]);
  assert handlers[p] <= 298 || memory[p + 1] == before[p + 1];
  assert handlers[p] != 7;
}
