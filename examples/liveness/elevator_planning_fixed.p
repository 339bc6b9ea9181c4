// An elevator keeps its direction as long as there is a call in that direction, and only then turns.
// check --test Three: proved
// check --test Three --liveness iterative-ndfs: proved

event eCall: int;
event eServed: int;
event eAgain;
event eStep;
event eWaitsAtTop;
event eServedAtTop;

spec Fetched observes eWaitsAtTop, eServedAtTop {
    start cold state Away {
        on eWaitsAtTop goto Waits;
    }

    hot state Waits {
        on eServedAtTop goto Away;
    }
}

// A passenger waits at a floor, is served, and returns.
machine Passenger {
    var elevator: machine;
    var floor: int;

    start state Init {
        entry (where: (elevator: machine, floor: int, top: int)) {
            elevator = where.elevator;
            floor = where.floor;
            Calls(where.top);
        }
        on eServed do (top: int) { Calls(top); }
    }

    fun Calls(top: int) {
        if (floor == top) {
            announce eWaitsAtTop;
        }
        send elevator, eCall, floor;
    }
}

machine Elevator {
    var passengers: seq[machine];
    var waiting: set[int];
    var at: int;
    var moving: bool;
    var down: bool;

    start state Init {
        entry (floors: int) {
            while (sizeof(passengers) < floors) {
                passengers += (sizeof(passengers),
                    new Passenger((elevator = this, floor = sizeof(passengers), top = floors - 1)));
            }
        }
        on eCall do (floor: int) {
            waiting += (floor);
            Moves();
        }
        on eStep do {
            moving = false;
            GoTo(Nearest());
            Moves();
        }
    }

    fun Moves() {
        if (!moving && sizeof(waiting) > 0) {
            moving = true;
            send this, eStep;
        }
    }

    // Moves one floor up or down, and serves the call there.
    fun GoTo(floor: int) {
        if (floor > at) {
            at = at + 1;
        } else if (floor < at) {
            at = at - 1;
        }
        if (at in waiting) {
            waiting -= (at);
            if (at == sizeof(passengers) - 1) {
                announce eServedAtTop;
            }
            send passengers[at], eServed, sizeof(passengers) - 1;
        }
    }

    // The next floor in the current direction. Turns if there is no call in that direction, and stays if
    // there is no other call.
    fun Nearest(): int {
        var best: int;
        best = Ahead();
        if (best < 0) {
            down = !down;
            best = Ahead();
        }
        if (best < 0) {
            return at;
        }
        return best;
    }

    fun Ahead(): int {
        var floor: int;
        var best: int;
        best = -1;
        foreach (floor in waiting) {
            if (down && floor < at && floor > best) {
                best = floor;
            }
            if (!down && floor > at && (best < 0 || floor < best)) {
                best = floor;
            }
        }
        return best;
    }
}

machine Three {
    start state Init {
        entry { new Elevator(3); }
    }
}

machine Five {
    start state Init {
        entry { new Elevator(5); }
    }
}

test Three [main=Three]: assert Fetched in { Three, Elevator, Passenger };
test Five [main=Five]: assert Fetched in { Five, Elevator, Passenger };
