// A monitor that is hot again and again, and never cold, in one step; the fair choice comes before.
event eAsk;
event eAnswer;

machine Main {
    start state Choosing {
        entry {
            if ($$) { announce eAnswer; }
            goto Asking;
        }
    }
    state Asking {
        entry {
            announce eAsk;
            announce eAnswer;
            if ($) { goto Asking; }
        }
    }
}

spec Answered observes eAsk, eAnswer {
    start state Idle { on eAsk goto Waiting; ignore eAnswer; }
    hot state Waiting { on eAnswer goto Idle; }
}

test Again [main = Main]: assert Answered in { Main };
