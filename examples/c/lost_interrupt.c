// A bottom half that clears the count of interrupts after it has looked at it: an interrupt in between is lost.
//
// The hardware, in a buffer of its own, raises the interrupt twice. The handler counts, and posts the bottom half at a lower level.
//
// check: deadlock 1
#include <dally.h>

int arrived, handled;

DALLY_NO_YIELDS void bottom_half(void) {
#ifdef FIXED
  dally_interrupts_off();
  int n = arrived;
  arrived = 0;
  dally_interrupts_on();
  handled += n;
#else
  int n = arrived;
  handled += n;
  arrived = 0; // the bug: forgets what has arrived since
#endif
}

DALLY_RAISED_INTERRUPT(2) void device(void) {
  arrived++;
  dally_post_at(1, bottom_half, 0);
}

DALLY_ENTRY(0) void driver(void) {
  dally_enable(device);
  dally_await(handled == 2);
}

DALLY_ENTRY(1) void hardware(void) {
  dally_raise(device);
  dally_await(!dally_is_raised(device));
  dally_raise(device);
}
