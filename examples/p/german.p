// German's cache coherence protocol: a host lets one client write, or several read. Before it grants a write, all
// readers must have acknowledged; this host does not wait if there is only one reader.
// check: bug 1

event eAsk: (client: machine, write: bool);
event eGrant: bool;
event eInvalidate;
event eInvalidated: machine;
event eHolds: (client: machine, write: bool);
event eDrops: machine;

spec Coherent observes eHolds, eDrops {
    var readers: set[machine];
    var writer: machine;

    start state Watching {
        on eHolds do (held: (client: machine, write: bool)) {
            assert writer == null, "another client already writes";
            if (held.write) {
                assert sizeof(readers) == 0, "a client writes while another one reads";
                writer = held.client;
            } else {
                readers += (held.client);
            }
        }
        on eDrops do (client: machine) {
            readers -= (client);
            if (writer == client) {
                writer = null;
            }
        }
    }
}

machine Host {
    var sharers: set[machine];
    var exclusive: bool;
    var current: (client: machine, write: bool);
    var waiting: int;

    start state Idle {
        on eAsk goto Serving;
        on eInvalidated do (client: machine) { sharers -= (client); }
    }

    state Serving {
        defer eAsk;
        entry (asked: (client: machine, write: bool)) {
            var s: machine;
            current = asked;
            waiting = 0;
            if (asked.write || exclusive) {
                foreach (s in sharers) {
                    send s, eInvalidate;
                    waiting = waiting + 1;
                }
            }
            if (waiting <= 1) {
                Grant();
            }
        }
        on eInvalidated do (client: machine) {
            sharers -= (client);
            waiting = waiting - 1;
            if (waiting == 0) {
                Grant();
            }
        }
    }

    fun Grant() {
        exclusive = current.write;
        sharers += (current.client);
        send current.client, eGrant, current.write;
        goto Idle;
    }
}

machine Client {
    var host: machine;

    start state Init {
        entry (h: machine) {
            host = h;
            send host, eAsk, (client = this, write = $);
        }
        defer eInvalidate;
        on eGrant do (write: bool) {
            announce eHolds, (client = this, write = write);
            goto Holding;
        }
    }

    state Holding {
        on eInvalidate do {
            announce eDrops, this;
            send host, eInvalidated, this;
            goto Done;
        }
    }

    state Done { ignore eInvalidate; }
}

machine Main {
    start state Init {
        entry {
            var host: machine;
            host = new Host();
            new Client(host);
            new Client(host);
            new Client(host);
        }
    }
}

test ThreeClients [main=Main]: assert Coherent in { Main, Host, Client };
