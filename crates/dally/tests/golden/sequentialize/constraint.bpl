// flags: --to dfs --delays 0
// A constraint is about states of the asynchronous program, and is dropped.
var {:constraint x < 10} {:range 0, 3} x: int;

procedure main()
{
    x := 0;
}
