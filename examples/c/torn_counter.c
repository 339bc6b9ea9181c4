// An Arduino-like loop reads a 16-bit counter that an interrupt increments. The controller has 8-bit registers: the read takes two
// instructions, and an interrupt between them gives a value that the counter never had.
//
// check --atomic-width 8: bug 0
// verify --atomic-width 8 --yields 1: bug
#include <assert.h>
#include <dally.h>
#include <stdint.h>

volatile uint16_t ticks = 0x00ff;

DALLY_INTERRUPT(1) void timer_overflow(void) {
  ticks++;
  dally_disable(timer_overflow); // one tick is enough here
}

static void loop(void) {
#ifdef FIXED
  dally_interrupts_off();
#endif
  uint16_t now = ticks;
#ifdef FIXED
  dally_interrupts_on();
#endif
  assert(now == 0x00ff || now == 0x0100);
}

int main(void) {
  dally_enable(timer_overflow);
  loop();
  return 0;
}
