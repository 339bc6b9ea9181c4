// The two-phase commit of two_phase_commit.p, which checks the transaction that a vote or a timer belongs to.
// check --test TwoPhaseCommit___participants_2: proved

event ePrepare: (coordinator: machine, id: int);
event eVote: (id: int, from: int, yes: bool);
event eCommit: int;
event eAbort: int;
event eTimer: int;
event eFire: (user: machine, id: int);

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
        on eFire do (request: (user: machine, id: int)) {
            if ($) {
                send request.user, eTimer, request.id;
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
            send timer, eFire, (user = this, id = id);
        }
        on eVote do (vote: (id: int, from: int, yes: bool)) {
            if (vote.id != id) {
                return;
            }
            if (!vote.yes) {
                Decide(eAbort);
            } else {
                votes = votes + 1;
                if (votes == sizeof(all)) {
                    Decide(eCommit);
                }
            }
        }
        on eTimer do (fired: int) {
            if (fired == id) {
                Decide(eAbort);
            }
        }
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
