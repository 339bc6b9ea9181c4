// Only necessary parentheses are printed.
const a, b, c: bool;
const x, y, z: int;
axiom ((a && b) && c) ==> (a || (b || c));
axiom (a ==> b) ==> c;
axiom a ==> (b ==> c);
axiom a <== b;
axiom (a && b) || c;
axiom (x + (y - z)) - (x - (y * z)) == ((x div y) mod z);
axiom (if a then x else y) + z == if b then x else y + z;
axiom -(-x) == -(x + y) && !(!a);
axiom ((x: int)) < y;
