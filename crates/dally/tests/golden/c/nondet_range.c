// The assumption gives the range of the value, so that the verdict is `proved`.
#include <assert.h>

int __VERIFIER_nondet_int(void);
void __VERIFIER_assume(int);

int main(void) {
  int x = __VERIFIER_nondet_int();
  __VERIFIER_assume(0 <= x && x < 10);
  assert(x * x <= 81);
  return 0;
}
