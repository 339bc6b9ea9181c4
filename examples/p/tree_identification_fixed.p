// The nodes of tree_identification.p; of two that ask each other, the one that asked later is the root.
// check: proved

event eNeighbours: (rank: int, all: set[machine]);
event eBeMyParent: (child: machine, rank: int);
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
    var rank: int;
    var left: set[machine];

    start state Init {
        defer eBeMyParent;
        on eNeighbours do (told: (rank: int, all: set[machine])) {
            rank = told.rank;
            left = told.all;
            goto Waiting;
        }
    }

    state Waiting {
        entry { Look(); }
        on eBeMyParent do (asked: (child: machine, rank: int)) {
            left -= (asked.child);
            Look();
        }
    }

    state Asking {
        entry { send left[0], eBeMyParent, (child = this, rank = rank); }
        on eBeMyParent do (asked: (child: machine, rank: int)) {
            if (asked.rank < rank) {
                goto Root;
            }
        }
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
            Connect(a, 1, b, b);
            Connect(b, 2, a, c);
            Connect(c, 3, b, b);
        }
    }

    fun Connect(node: machine, rank: int, one: machine, other: machine) {
        var all: set[machine];
        all += (one);
        all += (other);
        send node, eNeighbours, (rank = rank, all = all);
    }
}

test Path [main=Main]: assert OneRoot in { Main, Node };
