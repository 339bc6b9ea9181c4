// flags: --liveness iterative-ndfs --json
// As lasso.bpl, with fair schedules only.
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
