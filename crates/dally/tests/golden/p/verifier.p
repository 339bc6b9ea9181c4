event eStart;

invariant Fine: forall (e: event) :: !(inflight e);
pure Twice(x: int): int = x + x;
Lemma Small { invariant One: true; }
Proof { prove Small; }
axiom true;
init-condition true;

machine Main {
    start state Init {
        entry { assert this is Main; }
    }
}
