// Threads by labels, as in CBMC: the thread has a copy of `step`, and shares `limit`, whose address is taken.
#include <assert.h>

int x;

void other(int by, int *limit) {
  if (x < *limit) x = x + by;
}

int main(void) {
  int step = 2, limit = 3;
  __CPROVER_ASYNC_1: other(step, &limit);
  step = 5;
  x = 1;
  assert(x != 3);
  return 0;
}
