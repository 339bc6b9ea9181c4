event eAsk;
event eAnswer;

spec Answered observes eAsk, eAnswer {
    start cold state Quiet {
        on eAsk goto Asked;
    }
    hot state Asked {
        on eAnswer goto Quiet;
    }
}

spec Forgotten observes eAsk {
    start state Quiet { }
}

machine Main {
    start state Init {
        entry {
            if ($) { announce eAsk; announce eAnswer; } else { announce eAsk; }
        }
    }
}

test Asks [main=Main]: assert Answered in { Main };
