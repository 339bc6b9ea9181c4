type Clock;

fun Now(clock: Clock): int;

// A stub: in a project it is in another file.
type Clock = int;

fun Now(): int {
    return 1;
}

machine Main {
    var clock: Clock;

    start state Init {
        entry { assert Now(clock) > 0; }
    }
}
