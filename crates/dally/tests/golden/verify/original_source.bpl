// A trace is told in the source that the attributes name; initialisers are folded.
var M: [int]int;

procedure init_memory()
  modifies M;
{
  M[0] := 0;
  M[1] := 0;
  M[2] := 0;
  M[3] := 0;
}

procedure read(i: int) returns (r: int)
{
  assume {:sourceloc "memory.c", 3, 10} true;
  r := M[i];
}

procedure main()
  modifies M;
{
  var x: int;
  call init_memory();
  assert {:sourcefile "main.c"} {:sourceline 12} true;
  M[2] := 5;
  assert {:sourcefile "main.c"} {:sourceline 13} true;
  call x := read(2);
  assert {:sourcefile "main.c"} {:sourceline 14} x != 5;
}
