// The bottom half of lost_interrupt.c, which takes the count while interrupts are off.
//
// check: proved
#include <dally.h>

int arrived, handled;

DALLY_NO_YIELDS void bottom_half(void) {
  dally_interrupts_off();
  int n = arrived;
  arrived = 0;
  dally_interrupts_on();
  handled += n;
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
