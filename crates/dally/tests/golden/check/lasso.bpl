// flags: --unfair
// A task that looks again and again, and one that never gets its turn.
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
