// Mutual exclusion by a token in a ring [Le Lann]. A node enters once, and then passes the token on.
// check --test Two: proved
// check --test Six: proved

event eNext: machine;
event eToken;
event eStep;
event eWants;
event eEnters;

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

    start state Init {
        defer eToken;
        entry (is_last: bool) { last = is_last; }
        on eNext do (node: machine) {
            next = node;
            goto Outside;
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
    }

    state Inside {
        entry {
            if (last) {
                announce eEnters;
            }
            send this, eStep;
        }
        on eStep do {
            send next, eToken;
            goto Outside;
        }
    }
}

fun Ring(count: int) {
    var nodes: seq[machine];
    var i: int;
    while (i < count) {
        nodes += (i, new Node(i == count - 1));
        i = i + 1;
    }
    i = 0;
    while (i < count) {
        send nodes[i], eNext, nodes[Modulo(i + 1, count)];
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
        entry { Ring(2); }
    }
}

machine Six {
    start state Init {
        entry { Ring(6); }
    }
}

machine Ten {
    start state Init {
        entry { Ring(10); }
    }
}

test Two [main=Two]: assert Enters in { Two, Node };
test Six [main=Six]: assert Enters in { Six, Node };
test Ten [main=Ten]: assert Enters in { Ten, Node };
