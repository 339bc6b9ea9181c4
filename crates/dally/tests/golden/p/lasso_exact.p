// flags: --exact
// Exact searches do not search for cycles, and the verdict says so.
event eStart: machine;
event eLater: machine;
event eTimeout;
event eWaits;
event eGoesOn;

spec GoesOn observes eWaits, eGoesOn {
    start cold state Goes { on eWaits goto Waits; }
    hot state Waits { on eGoesOn goto Goes; }
}

machine Timer {
    start state Ready {
        on eStart, eLater do (user: machine) {
            if ($) { send user, eTimeout; } else { send this, eLater, user; }
        }
    }
}

machine Main {
    start state Init {
        entry { announce eWaits; send new Timer(), eStart, this; }
        on eTimeout do { announce eGoesOn; }
    }
}

test T [main=Main]: assert GoesOn in { Main, Timer };
