// `cleanup`: the lock is released at each exit of its scope, and the thread that returns early releases it, too.
#include <assert.h>
#include <pthread.h>

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int count;

static void release(pthread_mutex_t **held) { pthread_mutex_unlock(*held); }

static pthread_mutex_t *acquire(pthread_mutex_t *m) {
  pthread_mutex_lock(m);
  return m;
}

#define GUARD(m) pthread_mutex_t *guard __attribute__((cleanup(release))) = acquire(m)

void *add(void *argument) {
  for (int i = 0; i < 2; i++) {
    GUARD(&lock);
    if (count > 2) return NULL;
    count++;
  }
  return NULL;
}

int main(void) {
  pthread_t other;
  pthread_create(&other, NULL, add, NULL);
  add(NULL);
  pthread_join(other, NULL);
  assert(count == 3);
  return 0;
}
