// flags: --modular
// The axioms describe a quotient for a divisor of 0, too: as formulas they contradict each other. `by_zero`, where the contradiction
// is reached, is not proved from that. `by_four` is proved: the axioms are used only where their triggers occur. `wrong` is not.
function times(x: int, y: int): int;
axiom (forall x, y: int :: {times(x, y)} times(x, y) == x * y);
function plus(x: int, y: int): int;
axiom (forall x, y: int :: {plus(x, y)} plus(x, y) == x + y);
function minus(x: int, y: int): int;
axiom (forall x, y: int :: {minus(x, y)} minus(x, y) == x - y);
function less(x: int, y: int): bool;
axiom (forall x, y: int :: {less(x, y)} less(x, y) <==> x < y);
function quotient(a: int, b: int, size: int): int;
axiom (forall a, b, size: int :: {quotient(a, b, size)}
  !less(minus(a, b), times(size, quotient(a, b, size))) &&
  less(minus(a, b), times(size, plus(quotient(a, b, size), 1))));

procedure by_zero(a: int, b: int) returns (q: int)
  ensures q == 7;
{
  q := quotient(a, b, 0);
}

procedure by_four(a: int, b: int) returns (q: int)
  requires minus(a, b) == 8;
  ensures q == 2;
{
  q := quotient(a, b, 4);
}

procedure wrong(a: int, b: int) returns (q: int)
  requires minus(a, b) == 8;
  ensures q == 3;
{
  q := quotient(a, b, 4);
}
