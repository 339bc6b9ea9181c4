// Each thread writes its cell before the barrier, and reads its neighbour's cell behind it.
//
// check: proved
#include <assert.h>
#include <pthread.h>

#define N 2

int cells[N];
pthread_barrier_t barrier;

void *worker(void *argument) {
  long i = (long)argument;
  cells[i] = 1;
  pthread_barrier_wait(&barrier);
  assert(cells[(i + 1) % N] == 1);
  return NULL;
}

int main(void) {
  pthread_t threads[N];
  pthread_barrier_init(&barrier, NULL, N);
  for (long i = 0; i < N; i++)
    pthread_create(&threads[i], NULL, worker, (void *)i);
  for (int i = 0; i < N; i++)
    pthread_join(threads[i], NULL);
  pthread_barrier_destroy(&barrier);
  return 0;
}
