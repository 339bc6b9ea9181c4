event eStart: machine;
event eLater: machine;
event eTimeout;

spec Fires observes eStart, eTimeout {
    start cold state Idle { on eStart goto Waiting; }
    hot state Waiting { on eTimeout goto Idle; }
}

// `choose` takes each of its values again and again, so the timer fires.
machine Timer {
    start state Ready {
        on eStart, eLater do (user: machine) {
            if (choose(10) == 0) { send user, eTimeout; } else { send this, eLater, user; }
        }
    }
}

machine Main {
    start state Init {
        entry { send new Timer(), eStart, this; }
        on eTimeout do { }
    }
}

test Timers [main=Main]: assert Fires in { Main, Timer };
