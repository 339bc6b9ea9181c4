// A tree finds its root [IEEE 1394]: a node that has heard from all neighbours but one asks that one to be its parent. Two
// nodes may ask each other; then both choose to wait or to ask again, and may choose alike for ever. It would not help
// to write `$$`: both choices are made both ways, again and again, and yet alike.
// check --test Line2: loop 0
// check --test Line3: loop 0
// check --test Line3 --liveness iterative-ndfs: loop 0

event eNeighbours: seq[machine];
event eBeMyParent: machine;
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

    start state Init {
        defer eBeMyParent;
        on eNeighbours do (all: seq[machine]) {
            neighbours = all;
            goto Waits;
        }
    }

    state Waits {
        entry { Asks(); }
        on eBeMyParent do (child: machine) {
            var i: int;
            while (neighbours[i] != child) {
                i = i + 1;
            }
            neighbours -= (i);
            children = children + 1;
            send child, eYes;
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
        on eBeMyParent do (other: machine) {
            // Both have asked: they look who is faster.
            goto Contention;
        }
        ignore eWaited;
    }

    state Contention {
        entry {
            if ($) {
                send parent, eBeMyParent, this;
                goto Asked;
            }
            send this, eWaited;
        }
        defer eBeMyParent;
        on eWaited goto Waits2;
    }

    // It lets the other one go first, for a while.
    state Waits2 {
        entry { send this, eWaited; }
        on eBeMyParent do (child: machine) {
            children = children + 1;
            send child, eYes;
            goto Root;
        }
        on eWaited do {
            send parent, eBeMyParent, this;
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
            send parent, eBeMyParent, this;
            goto Asked;
        }
    }
}

fun Line(count: int) {
    var nodes: seq[machine];
    var all: seq[machine];
    var i: int;
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
        send nodes[i], eNeighbours, all;
        i = i + 1;
    }
}

machine Line2 {
    start state Init {
        entry { Line(2); }
    }
}

machine Line3 {
    start state Init {
        entry { Line(3); }
    }
}

machine Line5 {
    start state Init {
        entry { Line(5); }
    }
}

test Line2 [main=Line2]: assert Settles in { Line2, Node };
test Line3 [main=Line3]: assert Settles in { Line3, Node };
test Line5 [main=Line5]: assert Settles in { Line5, Node };
