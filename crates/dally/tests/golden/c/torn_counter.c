// flags: --atomic-width 8
// A 16-bit counter on an 8-bit controller: the low byte overflows while the high byte is on its way.
#include <assert.h>
#include <pthread.h>
#include <stdint.h>

volatile uint16_t ticks = 0x00ff;

void *timer(void *unused) {
  ticks = 0x0100;
  return NULL;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, timer, NULL);
  uint16_t now = ticks;
  assert(now == 0x00ff || now == 0x0100);
  return 0;
}
