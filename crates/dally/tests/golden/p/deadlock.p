event eHello: machine;
event eReply: int;

machine Main {
    start state Init {
        entry {
            var other: Other;
            other = new Other(this);
            receive {
                case eReply: (n: int) { assert n == 1; }
            }
        }
    }
}

machine Other {
    start state Init {
        entry (boss: machine) {
            if (choose(3) == 2) {
                send boss, eReply, 1;
            }
        }
    }
}
