// A client repeats a request over a lossy channel. The channel may lose every message: `$` promises no fairness.
// check: loop 0
// check --liveness ndfs: loop 0

event eRequest: machine;
event eReply;
event eTry;
event eAsked;
event eAnswered;

spec Progress observes eAsked, eAnswered {
    start cold state Idle {
        on eAsked goto Waiting;
    }

    hot state Waiting {
        on eAnswered goto Idle;
    }
}

machine Server {
    start state Ready {
        on eRequest do (client: machine) { send client, eReply; }
    }
}

machine Channel {
    var server: machine;

    start state Ready {
        entry (behind: machine) { server = behind; }
        on eRequest do (client: machine) {
            if ($) {
                send server, eRequest, client;
            } else {
                // The client's timer fires.
                send client, eTry;
            }
        }
    }
}

machine Main {
    var channel: machine;

    start state Init {
        entry {
            channel = new Channel(new Server());
            goto Asks;
        }
    }

    state Asks {
        entry {
            announce eAsked;
            send channel, eRequest, this;
        }
        on eTry do { send channel, eRequest, this; }
        on eReply goto Done;
    }

    state Done {
        entry { announce eAnswered; }
        ignore eTry, eReply;
    }
}

test Retry [main=Main]: assert Progress in { Main, Channel, Server };
