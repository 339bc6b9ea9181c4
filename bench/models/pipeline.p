// A pipeline: each stage adds one to the items that it receives, and passes them on.

event eItem: int;

param machines: int;

machine Sink {
    var received: int;

    start state Receiving {
        on eItem do (item: int) {
            received = received + 1;
            assert item == 10 * received + machines - 2, "an item is lost, out of order, or not handled by all stages";
        }
    }
}

machine Stage {
    var next: machine;

    start state Passing {
        entry (after: machine) { next = after; }
        on eItem do (item: int) { send next, eItem, item + 1; }
    }
}

// The source: it creates the others from the last one to the first.
machine Main {
    start state Init {
        entry {
            var first: machine;
            var item: int;
            var stages: int;
            first = new Sink();
            while (stages < machines - 2) {
                first = new Stage(first);
                stages = stages + 1;
            }
            while (item < 3) {
                item = item + 1;
                send first, eItem, 10 * item;
            }
        }
    }
}

test param (machines in [4, 5, 6]) Pipeline [main=Main]: { Main, Stage, Sink };
