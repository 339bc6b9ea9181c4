// The function of `cleanup` runs after the result is evaluated: what it writes is lost for the caller.
#include <assert.h>

int level = 3;

static void reset(int *unused) { level = 0; }

static int current(void) {
  int guard __attribute__((cleanup(reset))) = 1;
  return level;
}

int main(void) {
  int seen = current();
  assert(level == 0);
  assert(seen == 0);
  return 0;
}
