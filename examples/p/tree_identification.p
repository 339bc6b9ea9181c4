// Tree identification (IEEE 1394): a node asks its last neighbour to be its parent; a node whose neighbours are all
// its children is the root. Two nodes that ask each other both take the request as consent: there are two roots.
// check: bug 0

event eNeighbours: set[machine];
event eBeMyParent: machine;
event eRoot;

spec OneRoot observes eRoot {
    start state None {
        on eRoot goto Found;
    }

    state Found {
        on eRoot do { assert false, "there are two roots"; }
    }
}

machine Node {
    var left: set[machine];

    start state Init {
        defer eBeMyParent;
        on eNeighbours do (all: set[machine]) {
            left = all;
            goto Waiting;
        }
    }

    state Waiting {
        entry { Look(); }
        on eBeMyParent do (child: machine) {
            left -= (child);
            Look();
        }
    }

    state Asking {
        entry { send left[0], eBeMyParent, this; }
        on eBeMyParent goto Root;
    }

    state Root {
        entry { announce eRoot; }
        ignore eBeMyParent;
    }

    fun Look() {
        if (sizeof(left) == 1) {
            goto Asking;
        }
        if (sizeof(left) == 0) {
            goto Root;
        }
    }
}

machine Main {
    start state Init {
        entry {
            var a: machine;
            var b: machine;
            var c: machine;
            a = new Node();
            b = new Node();
            c = new Node();
            Connect(a, b, b);
            Connect(b, a, c);
            Connect(c, b, b);
        }
    }

    fun Connect(node: machine, one: machine, other: machine) {
        var all: set[machine];
        all += (one);
        all += (other);
        send node, eNeighbours, all;
    }
}

test Path [main=Main]: assert OneRoot in { Main, Node };
