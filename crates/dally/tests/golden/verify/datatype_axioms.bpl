// flags: --modular
// Axioms about nothing but a datatype matter where it is used. `Unused` is not, so that its axiom does not make proofs worthless.
datatype Pair { Pair(low: int, high: int) }
axiom (forall p: Pair :: {p->low} {p->high} p->low <= p->high);
datatype Unused { Unused(size: int) }
axiom (forall u: Unused :: {u->size} u->size > 0 && u->size < 0);

procedure ordered(p: Pair)
{
  assert p->low <= p->high;
}

procedure plain(x: int)
{
  assert x + 1 > x;
}
