// flags: --scheduler rr
// Between the calls of DallySeal and DallyUnseal, no machine is delayed: the second message cannot overtake the first.
event eFirst;
event eSecond;

fun DallySeal();
fun DallyUnseal();

machine Main {
  start state Init {
    entry {
      var receiver: machine;
      receiver = new Receiver();
      DallySeal();
      new First(receiver);
      new Second(receiver);
    }
  }
}

machine First {
  start state Init {
    entry (receiver: machine) {
      send receiver, eFirst;
    }
  }
}

machine Second {
  start state Init {
    entry (receiver: machine) {
      send receiver, eSecond;
    }
  }
}

machine Receiver {
  var first: bool;

  start state Waiting {
    on eFirst do {
      first = true;
    }
    on eSecond do {
      assert first, "the second message has overtaken the first";
      DallyUnseal();
    }
  }
}

test Order [main = Main]: { Main, First, Second, Receiver };
