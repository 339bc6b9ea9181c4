// flags: --overflow
// Atomic additions wrap silently (C11 7.17.7.5), other arithmetic on atomic variables does not.
#include <assert.h>
#include <limits.h>
#include <stdatomic.h>

int main(void) {
  atomic_int top = INT_MAX;
  _Atomic signed char small = -128;
  assert(atomic_fetch_add(&top, 1) == INT_MAX && top == INT_MIN);
  assert(atomic_fetch_sub(&small, 1) == -128 && small == 127);
  assert(__atomic_sub_fetch(&top, 1, __ATOMIC_SEQ_CST) == INT_MAX);
  top++;
  return 0;
}
