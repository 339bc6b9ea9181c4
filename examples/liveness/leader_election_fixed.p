// Candidates request votes from all others; of two that ask at the same time, the one with the lower number concedes.
// check --test Two: proved
// check --test Three: proved

event ePeers: (all: seq[machine], number: int);
event eVote: (node: machine, number: int);
event eYes;
event eNo;
event eStarted;
event eElected;

spec Settles observes eStarted, eElected {
    start cold state Before {
        on eStarted goto Unsettled;
        ignore eElected;
    }

    hot state Unsettled {
        on eElected goto Before;
    }
}

machine Node {
    var peers: seq[machine];
    var answers: int;
    var refused: bool;
    var number: int;

    start state Init {
        defer eVote;
        on ePeers do (given: (all: seq[machine], number: int)) {
            peers = given.all;
            number = given.number;
            goto Candidate;
        }
    }

    state Candidate {
        entry {
            var peer: machine;
            answers = 0;
            refused = false;
            foreach (peer in peers) {
                send peer, eVote, (node = this, number = number);
            }
        }
        // The candidate with the lower number concedes.
        on eVote do (other: (node: machine, number: int)) {
            if (other.number > number) {
                send other.node, eYes;
                goto Follower;
            }
            send other.node, eNo;
        }
        on eYes do { Answered(); }
        on eNo do {
            refused = true;
            Answered();
        }
    }

    // Between two attempts the candidate grants every request.
    state Rests {
        on eVote do (other: (node: machine, number: int)) {
            send other.node, eYes;
            goto Follower;
        }
        on null goto Candidate;
    }

    state Leader {
        entry { announce eElected; }
        on eVote do (other: (node: machine, number: int)) { send other.node, eNo; }
    }

    state Follower {
        on eVote do (other: (node: machine, number: int)) { send other.node, eYes; }
        ignore eYes, eNo;
    }

    fun Answered() {
        answers = answers + 1;
        if (answers == sizeof(peers)) {
            if (refused) {
                goto Rests;
            }
            goto Leader;
        }
    }
}

fun Elect(count: int) {
    var nodes: seq[machine];
    var peers: seq[machine];
    var i: int;
    while (i < count) {
        nodes += (i, new Node());
        i = i + 1;
    }
    announce eStarted;
    i = 0;
    while (i < count) {
        peers = nodes;
        peers -= (i);
        send nodes[i], ePeers, (all = peers, number = i);
        i = i + 1;
    }
}

machine Two {
    start state Init {
        entry { Elect(2); }
    }
}

machine Three {
    start state Init {
        entry { Elect(3); }
    }
}

test Two [main=Two]: assert Settles in { Two, Node };
test Three [main=Three]: assert Settles in { Three, Node };
