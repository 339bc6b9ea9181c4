event ePing: machine;
enum Colour { red, green }

machine Main {
    var target: machin;
    var count: int;

    start state Init {
        entry {
            send target, ePong, this;
            send target, ePing, thsi;
            coutn = red;
            count = Frob(1);
            new Servr();
            goto Initt;
        }
        on eMissing do { }
        on eMising, halt do Nothing;
        on ePing goto Elsewhere;
    }
    state Init { }
}

type A = B;
type B = A;
type T = (x: int, x: bool);
