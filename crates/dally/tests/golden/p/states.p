event eStart: int;

fun Outside() { }

machine Main {
    start state One {
        entry { }
        entry { }
        exit Leave;
        on eStart do Take;
        on eStart goto Two;
        ignore eStart;
        on halt do Outside;
    }
    start state Two {
        entry (x: bool) { }
        on eStart goto Two;
    }

    fun Leave(x: int) { }
    fun Take(x: int, y: int) { }
    fun Get(): int { raise eStart, 1; }
}

machine Nothing {
    state Lonely { }
}

spec Watch observes eStart {
    start state One {
        defer eStart;
        on null do { }
        entry {
            send this, eStart, 1;
            if ($) { new Main(); }
            receive { case eStart: (x: int) { } }
        }
    }
}
