// Mutual exclusion by a token in a ring [Le Lann]. The token may be lost; a node that is notified of the loss
// creates a new one, and if several nodes are notified there are several tokens.
// check: bug 1

event eNext: machine;
event eToken;
event eLost;
event eEnter: int;
event eLeave: int;
event eStep;

spec Mutex observes eEnter, eLeave {
    start state Free {
        on eEnter goto Busy;
    }

    state Busy {
        on eEnter do (node: int) { assert false, format("{0} enters while another node is inside", node); }
        on eLeave goto Free;
    }
}

machine Node {
    var number: int;
    var next: machine;
    var visits: int;

    start state Init {
        defer eToken, eLost;
        entry (n: int) { number = n; }
        on eNext do (node: machine) {
            next = node;
            goto Outside;
        }
    }

    state Outside {
        on eToken goto Inside;
        on eLost do {
            send this, eToken;
        }
    }

    state Inside {
        defer eToken, eLost;
        entry {
            announce eEnter, number;
            send this, eStep;
        }
        on eStep do {
            announce eLeave, number;
            visits = visits + 1;
            if (visits < 2) {
                send next, eToken;
            }
            goto Outside;
        }
    }
}

machine Main {
    start state Init {
        entry {
            var nodes: seq[machine];
            var i: int;
            while (i < 2) {
                nodes += (i, new Node(i));
                i = i + 1;
            }
            send nodes[0], eNext, nodes[1];
            send nodes[1], eNext, nodes[0];
            if ($) {
                send nodes[0], eToken;
            } else {
                send nodes[0], eLost;
                send nodes[1], eLost;
            }
        }
    }
}

test Ring [main=Main]: assert Mutex in { Main, Node };
