// A machine that may change its state for ever, in one step, while a monitor is hot.
event eAnswer;

machine Main {
    start state Asking {
        entry {
            if ($) { goto Asking; }
            announce eAnswer;
        }
    }
}

spec Answered observes eAnswer {
    start hot state Waiting { on eAnswer goto Idle; }
    cold state Idle { }
}

test Circle [main = Main]: assert Answered in { Main };
