// An update of an inner map changes one entry of the outer one; equal maps have equal entries.
type Ref;
var heap: [Ref][int]int;

procedure main()
{
  var a, b: Ref;
  var old_heap: [Ref][int]int;
  assume a != b;
  old_heap := heap;
  heap[a][3] := 7;
  assert heap[a][3] == 7;
  assert heap[b] == old_heap[b];
  assert heap[a][4] == old_heap[a][4];
  heap[a] := heap[b];
  assert heap[a][5] == old_heap[b][5];
  assert heap[a][3] == 7;
}
