// flags: --atomic-width 8
// Atomic objects and bytes are not torn.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

_Atomic uint16_t ticks = 0x00ff;
uint16_t plain = 0x00ff;
signed char byte = -1;

static int whole(uint16_t value) { return value == 0x00ff || value == 0x0100; }

void *timer(void *unused) {
  ticks = 0x0100;
  __atomic_store_n(&plain, 0x0100, __ATOMIC_SEQ_CST);
  byte = 1;
  return NULL;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, timer, NULL);
  assert(whole(ticks));
  assert(whole(__atomic_load_n(&plain, __ATOMIC_SEQ_CST)));
  assert(byte == -1 || byte == 1);
  return 0;
}
