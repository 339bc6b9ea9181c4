// A ticket lock: a task takes a ticket, and waits until its number is served.
// check: proved
// check --liveness ndfs: proved
// check --liveness iterative-ndfs: proved
// check --unfair: proved

var next: int;
var serving: int;
// Hot while the second task waits for the lock.
var {:hot} waits: bool;

procedure main()
{
    next := 0;
    serving := 0;
    waits := false;
    call {:async} first();
    call {:async} second();
}

procedure {:atomic} take() returns (ticket: int)
{
    ticket := next;
    next := (next + 1) mod 4;
}

procedure first()
{
    var ticket: int;
    while (true)
    {
        call ticket := take();
        yield;
        assume {:await} serving == ticket;
        yield;
        serving := (serving + 1) mod 4;
        yield;
    }
}

procedure second()
{
    var ticket: int;
    while (true)
    {
        call ticket := take();
        waits := true;
        yield;
        assume {:await} serving == ticket;
        waits := false;
        yield;
        serving := (serving + 1) mod 4;
        yield;
    }
}
