event eNumber: int;
event ePair: (int, bool);
param size: int;

machine Main {
    var count: int;
    var names: set[string];
    var ages: map[string, int];
    var who: (name: string, age: int);

    start state Init {
        entry {
            send this, eNumber, true;
            send this, ePair, 1, 2, 3;
            send this, eNumber;
            raise null;
            count = 1 + "one";
            names += (1, "x");
            ages -= (1);
            who.nmae = "x";
            who = (1, 2).5;
            names[0] = "x";
            size = 2;
            if (count) { }
            while (!count) { }
            foreach (count in ages) { }
            print "{0} {";
            print format("{0}", 1, 2);
            count = choose("x");
            count = 1.5 to string;
            count = Add(1);
            break;
        }
    }

    fun Add(x: int, y: int): int {
        if (x > y) { return x; }
    }
}
