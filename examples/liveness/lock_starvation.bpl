// A spinlock, and two tasks that take it in turn with whoever comes first. The lock is free again and again, but never for
// good: weak fairness does not help the second task, which may always look when it is taken.
// check: loop 2
// check --liveness ndfs: loop 0
// check --liveness iterative-ndfs: loop 2

var locked: bool;
// The second task wants the lock.
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
