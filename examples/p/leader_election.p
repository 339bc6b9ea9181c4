// Leader election in a ring [Le Lann, Chang, Roberts]: each node sends its number around and forwards larger ones;
// the node that receives its own number is the leader. A node that has not started forwards all: two can be elected.
// check: bug 0

event eNext: machine;
event eToken: int;
event eLeader: int;

spec OneLeader observes eLeader {
    start state None {
        on eLeader goto Elected;
    }

    state Elected {
        on eLeader do (number: int) { assert false, format("{0} is elected, too", number); }
    }
}

machine Node {
    var number: int;
    var least: int;
    var next: machine;

    start state Init {
        entry (n: int) { number = n; }
        defer eToken;
        on eNext do (node: machine) {
            next = node;
            goto Asleep;
        }
    }

    state Asleep {
        entry { send this, eToken, 0; }
        on eToken do (n: int) {
            if (n == 0) {
                least = number;
                send next, eToken, number;
            } else if (n == number) {
                announce eLeader, number;
            } else if (n > least) {
                send next, eToken, n;
            }
        }
    }
}

machine Main {
    start state Init {
        entry {
            var nodes: seq[machine];
            var i: int;
            while (i < 3) {
                nodes += (i, new Node(i + 1));
                i = i + 1;
            }
            i = 0;
            while (i < 3) {
                send nodes[i], eNext, nodes[(i + 1) % 3];
                i = i + 1;
            }
        }
    }
}

test Ring [main=Main]: assert OneLeader in { Main, Node };
