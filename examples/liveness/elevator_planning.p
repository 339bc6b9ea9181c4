// An elevator moves to the nearest floor with a call. As long as passengers at lower floors keep calling it, the
// passenger at the top floor is never served.
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
    // If set, the elevator moves to the nearest floor only after the floors below the top have called from
    // the highest to the lowest, and to the top otherwise. This makes the cycle rare, for benchmarks.
    var rare: bool;
    var expected: int;

    start state Init {
        entry (setting: (floors: int, rare: bool)) {
            rare = setting.rare;
            expected = setting.floors - 2;
            while (sizeof(passengers) < setting.floors) {
                passengers += (sizeof(passengers),
                    new Passenger((elevator = this, floor = sizeof(passengers), top = setting.floors - 1)));
            }
        }
        on eCall do (floor: int) {
            waiting += (floor);
            if (floor == expected) {
                expected = expected - 1;
            }
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
            if (at == 0) {
                expected = sizeof(passengers) - 2;
            }
            send passengers[at], eServed, sizeof(passengers) - 1;
        }
    }

    fun Nearest(): int {
        var floor: int;
        var best: int;
        best = -1;
        if (rare && expected >= 0 && sizeof(passengers) - 1 in waiting) {
            return sizeof(passengers) - 1;
        }
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
        entry { new Elevator((floors = 3, rare = false)); }
    }
}

machine Five {
    start state Init {
        entry { new Elevator((floors = 5, rare = false)); }
    }
}

machine Deep {
    start state Init {
        entry { new Elevator((floors = 8, rare = true)); }
    }
}

test Three [main=Three]: assert Fetched in { Three, Elevator, Passenger };
test Five [main=Five]: assert Fetched in { Five, Elevator, Passenger };
test Deep [main=Deep]: assert Fetched in { Deep, Elevator, Passenger };
