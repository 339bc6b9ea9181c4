// The server of client_server.p, which accepts no other request while it waits for the balance.
// check: proved

event eWithdraw: (client: machine, amount: int);
event eGranted: int;
event eRefused;
event eRead: machine;
event eBalance: int;
event eWrite: int;

spec NoOverdraft observes eGranted {
    var paid: int;

    start state Watching {
        on eGranted do (amount: int) {
            paid = paid + amount;
            assert paid <= 10, format("{0} were paid out of 10", paid);
        }
    }
}

machine Database {
    var balance: int;

    start state Serving {
        entry { balance = 10; }
        on eRead do (server: machine) { send server, eBalance, balance; }
        on eWrite do (value: int) { balance = value; }
    }
}

machine Server {
    var database: machine;
    var request: (client: machine, amount: int);

    start state Serving {
        entry {
            if (database == null) {
                database = new Database();
            }
        }
        on eWithdraw goto Reading;
    }

    state Reading {
        defer eWithdraw;

        entry (asked: (client: machine, amount: int)) {
            request = asked;
            send database, eRead, this;
        }
        on eBalance do (balance: int) {
            if (request.amount <= balance) {
                send database, eWrite, balance - request.amount;
                send request.client, eGranted, request.amount;
            } else {
                send request.client, eRefused;
            }
            goto Serving;
        }
    }
}

machine Client {
    start state Asking {
        entry (server: machine) { send server, eWithdraw, (client = this, amount = 6); }
        on eGranted, eRefused goto Done;
    }

    state Done { }
}

machine Main {
    start state Init {
        entry {
            var server: machine;
            server = new Server();
            new Client(server);
            new Client(server);
        }
    }
}

test TwoClients [main=Main]: assert NoOverdraft in { Main, Client, Server, Database };
