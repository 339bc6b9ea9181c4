type Clock;

fun Now(clock: Clock): int;

machine Main {
    var clock: Clock;

    start state Init {
        entry { assert Now(clock) > 0; }
    }
}
