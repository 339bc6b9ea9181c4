// A step with a fair choice in a loop has one outcome for each number of iterations.
event eAnswer;

machine Main {
    start state Asking {
        entry {
            while ($$) { }
            announce eAnswer;
        }
    }
}

spec Answered observes eAnswer {
    start hot state Waiting { on eAnswer goto Idle; }
    cold state Idle { }
}

test Loop [main = Main]: assert Answered in { Main };
