// flags: --threads 1 --rules timers.rules
// result: with timers.rules: bug 0; without, with --no-reduction: bug 6 with rr and rtc
//
// A failure detector: it pings a node, starts a timer, and suspects the node after seven timeouts in a row without an
// answer. The node answers each ping, so it must not be suspected. The timer is much faster than the network here, and no
// bound on delays of a general order is small: each round delays the node once more.
event ePing: machine;
event ePong;
event eStart: machine;
event eTimeout;

machine Detector {
  var node: machine;
  var timer: machine;
  var missed: int;

  start state Init {
    entry {
      node = new Node();
      timer = new Timer();
      goto Waiting;
    }
  }

  state Waiting {
    entry {
      send node, ePing, this;
      send timer, eStart, this;
    }
    on eTimeout do {
      missed = missed + 1;
      assert missed < 7, "the node is alive, and is suspected";
      goto Waiting;
    }
    on ePong do {
      missed = 0;
    }
  }
}

machine Node {
  start state Alive {
    on ePing do (detector: machine) {
      send detector, ePong;
    }
  }
}

machine Timer {
  var rounds: int;

  start state Idle {
    on eStart do (detector: machine) {
      rounds = rounds + 1;
      if (rounds < 12) {
        send detector, eTimeout;
      }
    }
  }
}

test Suspects [main = Detector]: { Detector, Node, Timer };
