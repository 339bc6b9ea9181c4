// A replicated set. Two replicas add and remove the same element and notify each other. A replica that is notified
// of a removal removes the element, even if it was added concurrently: the replicas may diverge.
// check: bug 1

event eAdd: int;
event eRemove: int;
event eTold: (add: bool, element: int, tag: int);
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
    var elements: set[int];
    var heard: int;

    start state Init {
        defer eAdd, eRemove, eTold;
        on ePeer do (other: machine) {
            peer = other;
            goto Running;
        }
    }

    state Running {
        on eAdd do (element: int) {
            elements += (element);
            send peer, eTold, (add = true, element = element, tag = 0);
            Hear();
        }
        on eRemove do (element: int) {
            elements -= (element);
            send peer, eTold, (add = false, element = element, tag = 0);
            Hear();
        }
        on eTold do (told: (add: bool, element: int, tag: int)) {
            if (told.add) {
                elements += (told.element);
            } else {
                elements -= (told.element);
            }
            Hear();
        }
    }

    fun Hear() {
        heard = heard + 1;
        if (heard == 3) {
            announce eDone, elements;
        }
    }
}

machine Main {
    start state Init {
        entry {
            var a: machine;
            var b: machine;
            a = new Replica();
            b = new Replica();
            send a, ePeer, b;
            send b, ePeer, a;
            send a, eAdd, 7;
            send a, eRemove, 7;
            send b, eAdd, 7;
        }
    }
}

test Two [main=Main]: assert Agree in { Main, Replica };
