// The elevator of elevator_door.p, which defers the event of a button pressed while the door closes.
// check: proved

event eButton;
event eOpen: machine;
event eClose: machine;
event eOpened;
event eClosed;
event eStart: machine;
event eTimeout;

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

machine Elevator {
    var door: machine;
    var timer: machine;

    start state Init {
        entry {
            door = new Door();
            timer = new Timer();
            goto Closed;
        }
    }

    state Closed {
        on eButton goto Opening;
    }

    state Opening {
        ignore eButton;
        entry { send door, eOpen, this; }
        on eOpened goto Open;
    }

    state Open {
        ignore eButton;
        entry { send timer, eStart, this; }
        on eTimeout goto Closing;
    }

    state Closing {
        defer eButton;
        entry { send door, eClose, this; }
        on eClosed goto Closed;
    }
}

machine Main {
    start state Init {
        entry {
            var elevator: machine;
            var i: int;
            elevator = new Elevator();
            while (i < 3) {
                send elevator, eButton;
                i = i + 1;
            }
        }
    }
}

test Presses [main=Main]: { Main, Elevator, Door, Timer };
