// A tree elects its root [IEEE 1394]: a node that has heard from all neighbours but one asks that one to be its
// parent. Two nodes may ask each other; then each chooses to wait or to ask again, and both may always choose alike.
// `$$` would not help: each choice has both outcomes infinitely often, and still both are always equal.
// check --test Line2: loop 0
// check --test Line3: loop 0
// check --test Line3 --liveness iterative-ndfs: loop 0

event eNeighbours: (all: seq[machine], number: int);
event eBeMyParent: (child: machine, number: int);
event eYes;
event eWaited;
event eStarted;
event eRoot;

spec Settles observes eStarted, eRoot {
    start cold state Before {
        on eStarted goto Unsettled;
        ignore eRoot;
    }

    hot state Unsettled {
        on eRoot goto Before;
    }
}

machine Node {
    var neighbours: seq[machine];
    var children: int;
    var parent: machine;
    var number: int;

    start state Init {
        defer eBeMyParent;
        on eNeighbours do (given: (all: seq[machine], number: int)) {
            neighbours = given.all;
            number = given.number;
            goto Waits;
        }
    }

    state Waits {
        entry { Asks(); }
        on eBeMyParent do (asks: (child: machine, number: int)) {
            var i: int;
            while (neighbours[i] != asks.child) {
                i = i + 1;
            }
            neighbours -= (i);
            children = children + 1;
            send asks.child, eYes;
            if (sizeof(neighbours) == 0) {
                goto Root;
            }
            Asks();
        }
        ignore eWaited;
    }

    // One neighbour is left.
    state Asked {
        on eYes goto Child;
        on eBeMyParent do (other: (child: machine, number: int)) {
            // Both nodes have asked. If they have numbers, the lower one is the parent; otherwise they retry.
            if (number == other.number) {
                goto Contention;
            }
            if (number < other.number) {
                children = children + 1;
                send other.child, eYes;
                goto Root;
            }
        }
        ignore eWaited;
    }

    state Contention {
        entry {
            if ($) {
                send parent, eBeMyParent, (child = this, number = number);
                goto Asked;
            }
            send this, eWaited;
        }
        defer eBeMyParent;
        on eWaited goto Waits2;
    }

    // Lets the other node ask first, for a while.
    state Waits2 {
        entry { send this, eWaited; }
        on eBeMyParent do (asks: (child: machine, number: int)) {
            children = children + 1;
            send asks.child, eYes;
            goto Root;
        }
        on eWaited do {
            send parent, eBeMyParent, (child = this, number = number);
            goto Asked;
        }
    }

    state Root {
        entry { announce eRoot; }
        ignore eWaited, eBeMyParent, eYes;
    }

    state Child {
        ignore eWaited, eBeMyParent, eYes;
    }

    fun Asks() {
        if (sizeof(neighbours) == 1) {
            parent = neighbours[0];
            send parent, eBeMyParent, (child = this, number = number);
            goto Asked;
        }
    }
}

// Nodes in a line, without numbers, or with numbers of which two, at one end, are equal by mistake.
fun Line(count: int, numbered: bool) {
    var nodes: seq[machine];
    var all: seq[machine];
    var i: int;
    var number: int;
    while (i < count) {
        nodes += (i, new Node());
        i = i + 1;
    }
    announce eStarted;
    i = 0;
    while (i < count) {
        all = default(seq[machine]);
        if (i + 1 < count) {
            all += (0, nodes[i + 1]);
        }
        if (i > 0) {
            all += (0, nodes[i - 1]);
        }
        number = 0;
        if (numbered && i > 1) {
            number = i;
        }
        send nodes[i], eNeighbours, (all = all, number = number);
        i = i + 1;
    }
}

machine Line2 {
    start state Init {
        entry { Line(2, false); }
    }
}

machine Line3 {
    start state Init {
        entry { Line(3, false); }
    }
}

machine Line5 {
    start state Init {
        entry { Line(5, false); }
    }
}

machine Deep {
    start state Init {
        entry { Line(12, true); }
    }
}

test Line2 [main=Line2]: assert Settles in { Line2, Node };
test Line3 [main=Line3]: assert Settles in { Line3, Node };
test Line5 [main=Line5]: assert Settles in { Line5, Node };
test Deep [main=Deep]: assert Settles in { Deep, Node };
