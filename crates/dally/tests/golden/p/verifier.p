event eVote: (voter: machine);

invariant Fine: forall (e: event) :: !(inflight e);
invariant Sent: forall new (e: eVote, m: machine) :: sent e && e targets m ==> e.voter is Main;
pure Twice(x: int): int = x + x;
pure Quorum(s: set[machine]): bool = exists (m: machine) :: m in s;
pure Voted(m: Main): bool = m.count > 0;
Lemma Small { invariant One: true; }
Theorem Smaller { invariant Two: Main.count < 2; invariant Three: true; }
Proof { prove Small; }
Proof Named { prove Small, Smaller using Fine, One except Sent; prove default using *; prove *; }
axiom forall (x: int) :: Twice(x) == x + x;
init-condition forall (m: Main) :: m.count == 0;
fun Pick(s: set[int]) return (x: int);
    requires sizeof(s) > 0;
    ensures x in s;

machine Main {
    var count: int;
    var i: int;
    var numbers: seq[int];
    var voters: set[machine];

    start state Init {
        entry {
            voters += (this);
            numbers += (0, 1);
            numbers += (1, 2);
            foreach (i in numbers)
                invariant count >= 0;
                invariant forall new (e: event) :: e is eVote;
            {
                count = count + i;
            }
            assert Twice(count) == 6;
            if (count > 5) { assert Quorum(voters) && this is Main; }
        }
    }
}
