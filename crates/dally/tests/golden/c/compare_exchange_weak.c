// flags: --spurious
// A weak compare-exchange that is not in a loop may fail for no reason.
#include <assert.h>
#include <stdatomic.h>

atomic_int value;

int main(void) {
  int expected = 0;
  while (!atomic_compare_exchange_weak(&value, &expected, 1)) assert(expected == 0);
  assert(value == 1);
  expected = 1;
  assert(atomic_compare_exchange_strong(&value, &expected, 2));
  expected = 2;
  assert(atomic_compare_exchange_weak(&value, &expected, 3));
  return 0;
}
