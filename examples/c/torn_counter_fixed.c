// The loop of torn_counter.c, which reads the counter while interrupts are off.
//
// check --atomic-width 8: proved
#include <assert.h>
#include <dally.h>
#include <stdint.h>

volatile uint16_t ticks = 0x00ff;

DALLY_INTERRUPT(1) void timer_overflow(void) {
  ticks++;
  dally_disable(timer_overflow);
}

static void loop(void) {
  dally_interrupts_off();
  uint16_t now = ticks;
  dally_interrupts_on();
  assert(now == 0x00ff || now == 0x0100);
}

int main(void) {
  dally_enable(timer_overflow);
  loop();
  return 0;
}
