// flags: --unfair
// An unfair cycle: one task polls for ever, and the other one is never scheduled.
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
