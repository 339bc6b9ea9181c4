// flags: --delays 3
// The client never receives an answer, so that one of its assertions is not reached.
event eRequest: machine;
event eAnswer: int;

machine Server {
  start state Waiting {
    on eRequest do (client: machine) {
      if (false) {
        send client, eAnswer, 1;
      }
    }
  }
}

machine Client {
  start state Asking {
    entry {
      assert 1 > 0;
      send new Server(), eRequest, this;
    }
    on eAnswer do (n: int) {
      if (n > 1) {
        assert false, "too large";
      }
      assert n == 2;
    }
  }
}

test tcOne [main=Client]: { Client, Server };
