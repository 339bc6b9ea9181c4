// Traces show the statement that was written, on lines with several macros and with those of headers.
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

#define LOCK(m) pthread_mutex_lock(&(m))
#define UNLOCK(m) do { pthread_mutex_unlock(&(m)); } while (0)
#define SWAP(a, b) do { int old = (a); (a) = (b); (b) = old; } while (0)
#define LARGER(a, b) ((a) > (b) ? (a) : (b))
#define LIMIT 10

int x = 1, y = 2;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void *other(void *unused) {
  LOCK(lock); x = LARGER(x, LIMIT); UNLOCK(lock);
  return NULL;
}

int main(void) {
  pthread_t thread;
  int *copy = NULL; if (x < LIMIT) copy = malloc(sizeof *copy); *copy = LARGER(x, y);
  pthread_create(&thread, NULL, other, NULL); SWAP(x, y);
  pthread_join(thread, NULL); assert(copy != NULL); assert(x < LIMIT && y == 1);
  return 0;
}
