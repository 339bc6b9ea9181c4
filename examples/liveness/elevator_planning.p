// An elevator goes to the nearest floor where somebody waits. While those at the lower floors call it again and again,
// nobody fetches the one at the top.
// check --test Three: loop 0
// check --test Five: loop 0

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

// Waits at a floor; when it was fetched, it comes back.
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

    // One floor up or down; there, the one who waits is served.
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

    fun Nearest(): int {
        var floor: int;
        var best: int;
        best = -1;
        foreach (floor in waiting) {
            if (best < 0 || Distance(floor) < Distance(best)) {
                best = floor;
            }
        }
        return best;
    }

    fun Distance(floor: int): int {
        if (floor > at) {
            return floor - at;
        }
        return at - floor;
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
