// Clients withdraw from one account. The server asks its database for the balance and accepts other requests
// meanwhile: two of them may be granted the same money.
// check: bug 1

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
    var waiting: seq[(client: machine, amount: int)];

    start state Serving {
        entry { database = new Database(); }
        on eWithdraw do (request: (client: machine, amount: int)) {
            waiting += (sizeof(waiting), request);
            send database, eRead, this;
        }
        on eBalance do (balance: int) {
            var request: (client: machine, amount: int);
            request = waiting[0];
            waiting -= (0);
            if (request.amount <= balance) {
                send database, eWrite, balance - request.amount;
                send request.client, eGranted, request.amount;
            } else {
                send request.client, eRefused;
            }
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
