// flags: --liveness iterative-ndfs --json
// The same, with schedules that are fair.
var {:hot} waits: bool;

procedure main()
{
    waits := true;
    call {:async} answers();
    while (waits)
    {
        yield;
    }
}

procedure answers()
{
    waits := false;
}
