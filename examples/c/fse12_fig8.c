// [FSE12] Fig. 8, for N = 2: two buffers take turns in counting to 2 N.
//
// A switch to the other buffer takes a delay, unless the current buffer is done: 2 N - 2 delays. No tasks need to be reordered
// within a buffer.
//
// check: bug 2
// verify --zields 2 --yields 2: bug
#include <assert.h>
#include <dally.h>

#ifndef N
#define N 2
#endif

_Bool __VERIFIER_nondet_bool(void);
void __VERIFIER_assume(int);

int x;

DALLY_NO_YIELDS DALLY_NO_ZIELDS void bar(void) {
  int t = x;
  dally_zield();
  x = t + 1;
}

DALLY_ENTRY(0) DALLY_NO_YIELDS DALLY_NO_ZIELDS void main1(void) {
  int i = 0;
  while (__VERIFIER_nondet_bool()) {
    dally_zield();
    __VERIFIER_assume(x == 2 * i);
    dally_post_at(1, bar, 0);
    i++;
  }
}

DALLY_ENTRY(1) DALLY_NO_YIELDS DALLY_NO_ZIELDS void main2(void) {
  int j = 0;
  while (__VERIFIER_nondet_bool()) {
    dally_zield();
    __VERIFIER_assume(x == 2 * j + 1);
    dally_post_at(1, bar, 0);
    j++;
    assert(x != 2 * N);
  }
}
