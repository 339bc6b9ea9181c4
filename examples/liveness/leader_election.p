// Candidates request votes from all others, and refuse requests while they wait. Two that ask at the same time
// refuse each other, and both try again: the election may never terminate.
// check --test Two: loop 1
// check --test Two --liveness iterative-ndfs: loop 1
// check --test Three: loop 0

event ePeers: seq[machine];
event eVote: machine;
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

    start state Init {
        defer eVote;
        on ePeers do (all: seq[machine]) {
            peers = all;
            goto Candidate;
        }
    }

    state Candidate {
        entry {
            var peer: machine;
            answers = 0;
            refused = false;
            foreach (peer in peers) {
                send peer, eVote, this;
            }
        }
        on eVote do (other: machine) { send other, eNo; }
        on eYes do { Answered(); }
        on eNo do {
            refused = true;
            Answered();
        }
    }

    // Between two attempts the candidate grants every request.
    state Rests {
        on eVote do (other: machine) {
            send other, eYes;
            goto Follower;
        }
        on null goto Candidate;
    }

    state Leader {
        entry { announce eElected; }
        on eVote do (other: machine) { send other, eNo; }
    }

    state Follower {
        on eVote do (other: machine) { send other, eNo; }
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
        send nodes[i], ePeers, peers;
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
