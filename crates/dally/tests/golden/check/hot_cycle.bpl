// The second loop changes nothing and never yields: a cycle inside one step, in which the global stays hot.
var {:hot} waits: bool;

procedure main()
{
    waits := false;
    while (*)
    {
    }
    waits := true;
    while (*)
    {
    }
    waits := false;
}
