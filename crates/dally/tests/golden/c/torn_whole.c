// The counter of torn_counter.c: accesses of 16 bits are indivisible by default.
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
