// flags: --json --test Two___n_2
event eCount: (n: int, from: machine);
param n: int;

machine Main {
    var left: int;

    start state Init {
        entry {
            left = n;
            send this, eCount, (n = n, from = this);
        }
        on eCount do (c: (n: int, from: machine)) {
            left = left - 1;
            assert left > 0, format("nothing is left of {0}", c.n);
            send this, eCount, c;
        }
    }
}

test param (n in [2, 3]) Two [main=Main]: { Main };
