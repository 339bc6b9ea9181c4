// [FSE12] Fig. 7, for N = 3: a task of level 0 posts one of level 1, which interrupts it at once.
//
// The assertion fails after the two levels have alternated N times. An interruption is part of the scheduler's order: the bug needs no
// delay, whatever N is.
//
// check: bug 0
// verify --yields 1: bug
#include <assert.h>
#include <dally.h>
#include <stdbool.h>

#ifndef N
#define N 3
#endif

_Bool __VERIFIER_nondet_bool(void);

int x;
bool cont = true;

void bar(void) {
  x = x + 1;
  assert(x != N);
  if (__VERIFIER_nondet_bool())
    cont = true;
}

void foo(void) {
  if (cont && __VERIFIER_nondet_bool()) {
    cont = false;
    dally_post_at(1, bar, 0);
    dally_post_at(0, foo, 0);
  }
}

int main(void) {
  foo();
  return 0;
}
