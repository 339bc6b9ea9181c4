// The door of an elevator closes when its timer fires. Passengers who press the button while it closes open it
// again, any number of times: the elevator may never move.
// check --test Two: loop 0
// check --test Two --liveness ndfs: loop 0
// check --test Two --liveness iterative-ndfs: loop 0

event eButton: int;
event eNoButton;
event eOpen: machine;
event eClose: machine;
event eOpened;
event eClosed;
event eStart: machine;
event eTimeout;
event eCloses: machine;
event eCalled;
event eMoves;
event eArrived;

// After a call, the elevator eventually moves.
spec Leaves observes eCalled, eMoves {
    start cold state Away {
        on eCalled goto Waits;
        ignore eMoves;
    }

    hot state Waits {
        on eMoves goto Away;
        ignore eCalled;
    }
}

machine Door {
    start state Ready {
        on eOpen do (elevator: machine) { send elevator, eOpened; }
        on eClose do (elevator: machine) { send elevator, eClosed; }
    }
}

machine Timer {
    start state Ready {
        on eStart do (elevator: machine) { send elevator, eTimeout; }
    }
}

// A passenger, who may press the button when the door closes.
machine Passenger {
    var number: int;

    start state Ready {
        entry (n: int) { number = n; }
        on eCloses do (elevator: machine) {
            if ($) {
                send elevator, eButton, number;
            } else {
                send elevator, eNoButton;
            }
        }
    }
}

machine Elevator {
    var door: machine;
    var timer: machine;
    var passengers: seq[machine];
    var answers: int;
    var pressed: bool;
    // If set, the door opens again only if all passengers press the button, the last one first. This
    // makes the cycle rare, for benchmarks.
    var interlock: bool;
    var expected: int;

    start state Init {
        entry (setting: (count: int, interlock: bool)) {
            interlock = setting.interlock;
            door = new Door();
            timer = new Timer();
            while (sizeof(passengers) < setting.count) {
                passengers += (sizeof(passengers), new Passenger(sizeof(passengers)));
            }
            announce eCalled;
            goto Opening;
        }
    }

    state Opening {
        entry { send door, eOpen, this; }
        on eOpened goto Open;
    }

    state Open {
        entry { send timer, eStart, this; }
        on eTimeout goto Closing;
    }

    state Closing {
        entry {
            var passenger: machine;
            answers = 0;
            pressed = false;
            expected = sizeof(passengers) - 1;
            foreach (passenger in passengers) {
                send passenger, eCloses, this;
            }
            send door, eClose, this;
        }
        on eButton do (number: int) {
            if (number == expected) {
                expected = expected - 1;
            }
            pressed = !interlock || expected < 0;
            Answered();
        }
        on eNoButton do { Answered(); }
        defer eClosed;
    }

    state Closed {
        on eClosed do {
            if (pressed) {
                goto Opening;
            }
            goto Moving;
        }
    }

    state Moving {
        entry {
            announce eMoves;
            send this, eArrived;
        }
        on eArrived do {
            announce eCalled;
            goto Opening;
        }
    }

    fun Answered() {
        answers = answers + 1;
        if (answers == sizeof(passengers)) {
            goto Closed;
        }
    }
}

machine Two {
    start state Init {
        entry { new Elevator((count = 2, interlock = false)); }
    }
}

machine Six {
    start state Init {
        entry { new Elevator((count = 6, interlock = false)); }
    }
}

machine Deep {
    start state Init {
        entry { new Elevator((count = 6, interlock = true)); }
    }
}

test Two [main=Two]: assert Leaves in { Two, Elevator, Door, Timer, Passenger };
test Six [main=Six]: assert Leaves in { Six, Elevator, Door, Timer, Passenger };
test Deep [main=Deep]: assert Leaves in { Deep, Elevator, Door, Timer, Passenger };
