// Leader election in a unidirectional ring (Dolev, Klawe and Rodeh), for every assignment of ids.

event eOne: int;
event eTwo: int;
event eWinner: int;
event eClose: machine;
event eElected: int;

param nodes: int;

spec OneLeader observes eElected {
    var leaders: int;

    start state Watching {
        on eElected do (id: int) {
            leaders = leaders + 1;
            assert leaders == 1 && id == nodes, "the leader is not the node with the greatest id";
        }
    }
}

machine Node {
    var next: machine;
    var id: int;
    var max: int;
    var left: int;
    var known: bool;

    start state Init {
        entry (setup: (id: int, next: machine)) {
            id = setup.id;
            max = setup.id;
            if (setup.next != null) {
                next = setup.next;
                goto Active;
            }
        }
        on eClose do (first: machine) {
            next = first;
            goto Active;
        }
        defer eOne, eTwo, eWinner;
    }

    state Active {
        entry {
            if (left == 0) {
                send next, eOne, max;
            }
        }
        on eOne do (value: int) {
            if (value == max) {
                known = true;
                send next, eWinner, value;
            } else {
                left = value;
                send next, eTwo, value;
            }
        }
        on eTwo do (value: int) {
            if (left > value && left > max) {
                max = left;
                send next, eOne, max;
            } else {
                goto Passive;
            }
        }
        on eWinner do Elected;
    }

    state Passive {
        on eOne do (value: int) { send next, eOne, value; }
        on eTwo do (value: int) { send next, eTwo, value; }
        on eWinner do Elected;
    }

    state Done {}

    fun Elected(winner: int) {
        if (winner == id) {
            announce eElected, id;
        }
        if (!known) {
            send next, eWinner, winner;
        }
        goto Done;
    }
}

machine Main {
    start state Init {
        entry {
            var ids: set[int];
            var id: int;
            var first: machine;
            var last: machine;
            while (sizeof(ids) < nodes) {
                ids += (sizeof(ids) + 1);
            }
            id = choose(ids);
            ids -= (id);
            first = new Node((id = id, next = null as machine));
            last = first;
            while (sizeof(ids) > 0) {
                id = choose(ids);
                ids -= (id);
                last = new Node((id = id, next = last));
            }
            send first, eClose, last;
        }
    }
}

test param (nodes in [5, 6, 7, 8]) Ring [main=Main]: assert OneLeader in { Main, Node };
