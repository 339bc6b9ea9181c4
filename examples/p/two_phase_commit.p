// Two-phase commit. The coordinator aborts a transaction when its timer fires, and counts a late vote for the next
// transaction: it commits a transaction that a participant has refused.
// check --test TwoPhaseCommit___participants_2: bug 0

event ePrepare: (coordinator: machine, id: int);
event eVote: (id: int, from: int, yes: bool);
event eCommit: int;
event eAbort: int;
event eTimer;
event eFire: machine;

param participants: int;

spec AllAgree observes eVote, eCommit {
    var refused: set[int];

    start state Watching {
        on eVote do (vote: (id: int, from: int, yes: bool)) {
            if (!vote.yes) {
                refused += (vote.id);
            }
        }
        on eCommit do (id: int) {
            assert !(id in refused), format("transaction {0} is committed, but a participant has refused it", id);
        }
    }
}

machine Timer {
    start state Waiting {
        on eFire do (user: machine) {
            if ($) {
                send user, eTimer;
            }
        }
    }
}

machine Participant {
    var number: int;

    start state Ready {
        entry (n: int) { number = n; }
        on ePrepare do (request: (coordinator: machine, id: int)) {
            send request.coordinator, eVote, (id = request.id, from = number, yes = $);
        }
        ignore eCommit, eAbort;
    }
}

machine Main {
    var all: seq[machine];
    var timer: machine;
    var id: int;
    var votes: int;

    start state Init {
        entry {
            timer = new Timer();
            while (sizeof(all) < participants) {
                all += (sizeof(all), new Participant(sizeof(all)));
            }
            goto Preparing;
        }
    }

    state Preparing {
        entry {
            var p: machine;
            id = id + 1;
            votes = 0;
            foreach (p in all) {
                send p, ePrepare, (coordinator = this, id = id);
            }
            send timer, eFire, this;
        }
        on eVote do (vote: (id: int, from: int, yes: bool)) {
            if (!vote.yes) {
                Decide(eAbort);
            } else {
                votes = votes + 1;
                if (votes == sizeof(all)) {
                    Decide(eCommit);
                }
            }
        }
        on eTimer do { Decide(eAbort); }
    }

    state Done { ignore eVote, eTimer; }

    fun Decide(what: event) {
        var p: machine;
        foreach (p in all) {
            send p, what, id;
        }
        if (id < 2) {
            goto Preparing;
        }
        goto Done;
    }
}

test param (participants in [2, 3]) TwoPhaseCommit [main=Main]:
    assert AllAgree in { Main, Participant, Timer };
