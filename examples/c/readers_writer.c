// A read-write lock protects a pair of numbers that must be equal.
//
// check: proved
#include <assert.h>
#include <pthread.h>

struct pair { int a, b; } pair;
pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;

void *writer(void *unused) {
  pthread_rwlock_wrlock(&lock);
  pair.a++;
  pair.b++;
  pthread_rwlock_unlock(&lock);
  return NULL;
}

void *reader(void *unused) {
  pthread_rwlock_rdlock(&lock);
  assert(pair.a == pair.b);
  pthread_rwlock_unlock(&lock);
  return NULL;
}

int main(void) {
  pthread_t threads[3];
  pthread_create(&threads[0], NULL, writer, NULL);
  pthread_create(&threads[1], NULL, reader, NULL);
  pthread_create(&threads[2], NULL, reader, NULL);
  for (int i = 0; i < 3; i++)
    pthread_join(threads[i], NULL);
  assert(pair.a == 1);
  return 0;
}
