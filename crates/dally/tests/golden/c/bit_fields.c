#include <assert.h>
#include <pthread.h>

struct {
  unsigned ready : 1;
#ifdef APART
  unsigned : 0;
#endif
  unsigned count : 7;
} state;

void *worker(void *argument) {
  state.ready = 1;
  return NULL;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, worker, NULL);
  state.count = 5;
  pthread_join(thread, NULL);
  assert(state.ready == 1 && state.count == 5);
}
