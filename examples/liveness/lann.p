// Mutual exclusion by a token in a ring [Le Lann]. A node that has the token can enter repeatedly without passing
// it on: the other nodes may starve.
// check --test Two: loop 0

event eNext: (next: machine, first: machine, number: int, rare: bool);
event eToken;
event eStep;
event eWants;
event eEnters;
event eHere: int;

// The last node of the ring eventually enters.
spec Enters observes eWants, eEnters {
    start cold state Outside {
        on eWants goto Waits;
    }

    hot state Waits {
        on eEnters goto Outside;
    }
}

machine Node {
    var last: bool;
    var next: machine;
    // If set, nodes enter again only after all others have reported to the first one, from the last to the
    // first. This makes the cycle rare, for benchmarks.
    var rare: bool;
    var expected: int;

    start state Init {
        defer eToken;
        entry (is_last: bool) { last = is_last; }
        on eNext do (ring: (next: machine, first: machine, number: int, rare: bool)) {
            next = ring.next;
            rare = ring.rare;
            if (rare && ring.first != this) {
                send ring.first, eHere, ring.number;
            }
            if (ring.first == this) {
                expected = ring.number;
            }
            goto Outside;
        }
        on eHere do (number: int) { Here(number); }
    }

    fun Here(number: int) {
        if (number == expected) {
            expected = expected - 1;
        }
    }

    // The node may want to enter, or not.
    state Outside {
        entry {
            if (last) {
                announce eWants;
            }
        }
        on eToken do {
            if (last || $) {
                goto Inside;
            }
            send next, eToken;
        }
        on eHere do (number: int) { Here(number); }
    }

    state Inside {
        entry {
            if (last) {
                announce eEnters;
            }
            send this, eStep;
        }
        on eStep do {
            if (!last && (!rare || expected == 1) && $) {
                goto Inside;
            }
            send next, eToken;
            goto Outside;
        }
        on eHere do (number: int) { Here(number); }
    }
}

fun Ring(count: int, rare: bool) {
    var number: int;
    var nodes: seq[machine];
    var i: int;
    while (i < count) {
        nodes += (i, new Node(i == count - 1));
        i = i + 1;
    }
    i = 0;
    while (i < count) {
        // The first node receives the number of nodes.
        number = i;
        if (i == 0) {
            number = count - 1;
        }
        send nodes[i], eNext,
            (next = nodes[Modulo(i + 1, count)], first = nodes[0], number = number, rare = rare);
        i = i + 1;
    }
    send nodes[0], eToken;
}

fun Modulo(n: int, m: int): int {
    if (n >= m) {
        return n - m;
    }
    return n;
}

machine Two {
    start state Init {
        entry { Ring(2, false); }
    }
}

machine Six {
    start state Init {
        entry { Ring(6, false); }
    }
}

machine Deep {
    start state Init {
        entry { Ring(8, true); }
    }
}

test Two [main=Two]: assert Enters in { Two, Node };
test Six [main=Six]: assert Enters in { Six, Node };
test Deep [main=Deep]: assert Enters in { Deep, Node };
