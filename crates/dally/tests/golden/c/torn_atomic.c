// flags: --atomic-width 8
// Atomic objects and bytes are not torn.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

_Atomic uint16_t ticks = 0x00ff;
uint16_t plain = 0x00ff;
signed char byte = -1;

void *timer(void *unused) {
  ticks = 0x0100;
  __atomic_store_n(&plain, 0x0100, __ATOMIC_SEQ_CST);
  byte = 1;
  return NULL;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, timer, NULL);
  uint16_t now = ticks;
  assert(now == 0x00ff || now == 0x0100);
  now = __atomic_load_n(&plain, __ATOMIC_SEQ_CST);
  assert(now == 0x00ff || now == 0x0100);
  assert(byte == -1 || byte == 1);
  return 0;
}
