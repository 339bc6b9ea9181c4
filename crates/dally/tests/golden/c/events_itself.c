// An interrupt does not interrupt itself, and fires only while it is enabled.
#include <assert.h>
#include <dally.h>

int running, fired, enabled;

DALLY_INTERRUPT(1) void device(void) {
  assert(!running);
  assert(enabled);
  running = 1;
  fired = 1;
  running = 0;
}

int main(void) {
  enabled = 1;
  dally_enable(device);
  dally_await(fired);
  dally_disable(device);
  enabled = 0;
  return 0;
}
