// A tree elects its root [IEEE 1394]: a node that has heard from all neighbours but one asks that one to be its
// parent. Of two nodes that ask each other, the one with the lower number becomes the root.
// check --test Line2: proved
// check --test Line3: proved
// check --test Line5: proved

event eNeighbours: (all: seq[machine], number: int);
event eBeMyParent: (child: machine, number: int);
event eYes;
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
    }

    // One neighbour is left.
    state Asked {
        on eYes goto Child;
        on eBeMyParent do (other: (child: machine, number: int)) {
            // Both nodes have asked: the one with the lower number is the parent.
            if (number < other.number) {
                children = children + 1;
                send other.child, eYes;
                goto Root;
            }
        }
    }

    state Root {
        entry { announce eRoot; }
        ignore eBeMyParent, eYes;
    }

    state Child {
        ignore eBeMyParent, eYes;
    }

    fun Asks() {
        if (sizeof(neighbours) == 1) {
            parent = neighbours[0];
            send parent, eBeMyParent, (child = this, number = number);
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
        send nodes[i], eNeighbours, (all = all, number = i);
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

machine Line8 {
    start state Init {
        entry { Line(8); }
    }
}

test Line2 [main=Line2]: assert Settles in { Line2, Node };
test Line3 [main=Line3]: assert Settles in { Line3, Node };
test Line5 [main=Line5]: assert Settles in { Line5, Node };
test Line8 [main=Line8]: assert Settles in { Line8, Node };
