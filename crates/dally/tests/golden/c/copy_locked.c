#include <assert.h>
#include <pthread.h>
#include <string.h>

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
long shared[20], ones[20];

void *writer(void *argument) {
  pthread_mutex_lock(&lock);
  memcpy(shared, ones, sizeof shared);
  pthread_mutex_unlock(&lock);
  return NULL;
}

int main(void) {
  pthread_t thread;
  ones[0] = ones[19] = 1;
  pthread_create(&thread, NULL, writer, NULL);
  pthread_mutex_lock(&lock);
  assert(shared[0] == shared[19]);
  pthread_mutex_unlock(&lock);
  pthread_join(thread, NULL);
  memmove(shared + 1, shared, 19 * sizeof shared[0]);
  assert(shared[1] == 1 && shared[2] == 0 && __atomic_nand_fetch(&shared[0], 3, __ATOMIC_SEQ_CST) == -2);
}
