// flags: --delays 3
// The first assumption holds, the second discards every execution. One in a branch marks a case that is not of interest.
event eCount: int;

machine Main {
  start state Counting {
    entry {
      send this, eCount, 1;
    }
    on eCount do (n: int) {
      assume n > 0;
      if (n == 2) {
        assume false;
      }
      assume n > 1;
      assert n == 1;
    }
  }
}

test tcOne [main=Main]: { Main };
