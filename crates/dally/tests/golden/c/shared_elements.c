// The elements of an array are shared, even if only their addresses are passed on; and so is what a function
// touches that is started twice through a variable.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

atomic_int slots[2];
int turn;

void *run(void *argument) {
  int mine = atomic_fetch_add(&slots[0], 1);
  turn = mine;
  assert(turn == mine);
  return NULL;
}

int main(void) {
  pthread_t threads[2];
  void *(*start)(void *) = run;
  for (int i = 0; i < 2; i++) pthread_create(&threads[i], NULL, start, NULL);
  for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
  return 0;
}
