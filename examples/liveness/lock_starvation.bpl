// A spinlock, and two tasks that compete for it. The lock is free infinitely often, but not continuously: weak fairness
// does not help the second task, which may always test the lock while it is taken.
// check: loop 2
// check --liveness ndfs: loop 0
// check --liveness iterative-ndfs: loop 2

var locked: bool;
// Hot while the second task waits for the lock.
var {:hot} waits: bool;

procedure main()
{
    locked := false;
    waits := false;
    call {:async} first();
    call {:async} second();
}

procedure first()
{
    while (true)
    {
        assume {:await} !locked;
        locked := true;
        yield;
        locked := false;
        yield;
    }
}

procedure second()
{
    while (true)
    {
        waits := true;
        yield;
        assume {:await} !locked;
        locked := true;
        waits := false;
        yield;
        locked := false;
        yield;
    }
}
