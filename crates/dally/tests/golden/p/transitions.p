event eStart;
event eOther;

machine Main {
    start state One {
        exit { raise eOther; }
        on eStart goto One with Twist;
    }

    fun Twist() { goto One; }
}

fun Toss(): bool { return $; }

spec Watch observes eStart {
    start state One {
        on eStart do { if (Toss()) { } }
    }
}
