// A tree: the root asks twice for the sum of all numbers. A node asks its children, and answers when they have answered.

event eAsk;
event eAnswer: int;

param machines: int;

machine Node {
    var parent: machine;
    var children: seq[machine];
    var number: int;
    var sum: int;
    var answers: int;
    var rounds: int;

    start state Init {
        entry (setup: (parent: machine, number: int)) {
            parent = setup.parent;
            number = setup.number;
            if (2 * number <= machines) {
                children += (0, new Node((parent = this, number = 2 * number)));
            }
            if (2 * number + 1 <= machines) {
                children += (1, new Node((parent = this, number = 2 * number + 1)));
            }
            if (number == 1) {
                Ask();
            }
        }
        on eAsk do Ask;
        on eAnswer do (answer: int) {
            sum = sum + answer;
            answers = answers + 1;
            if (answers == sizeof(children)) {
                Answer();
            }
        }
    }

    fun Ask() {
        var child: machine;
        sum = number;
        answers = 0;
        foreach (child in children) {
            send child, eAsk;
        }
        if (sizeof(children) == 0) {
            Answer();
        }
    }

    fun Answer() {
        if (number > 1) {
            send parent, eAnswer, sum;
            return;
        }
        assert sum == machines * (machines + 1) / 2, "a number is missing in the sum";
        rounds = rounds + 1;
        if (rounds < 2) {
            Ask();
        }
    }
}

machine Main {
    start state Init {
        entry {
            new Node((parent = null as machine, number = 1));
        }
    }
}

test param (machines in [4, 5, 6]) Tree [main=Main]: { Main, Node };
