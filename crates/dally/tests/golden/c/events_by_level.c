// Tasks of level 1 are not preempted by others of their level; tasks of level 0 are.
#include <assert.h>
#include <dally.h>

int low, high;

void deferred(void) { high++; }
void ordinary(void) { low++; }
DALLY_NO_YIELDS_AT(1) void check(void) {
  assert(high == 2);
  assert(low == 2);
}

int main(void) {
  dally_post_at(1, deferred, 0);
  dally_post_at(1, deferred, 0);
  dally_post(ordinary, 0);
  dally_post(ordinary, 0);
  dally_await(low > 0 && high > 0);
  dally_post(check, 0);
  return 0;
}
