#include <assert.h>
#include <pthread.h>

pthread_key_t key;
int destroyed;

void destroy(void *value) { destroyed += *(int *)value; }

void *thread(void *value) {
  pthread_setspecific(key, value);
  assert(pthread_getspecific(key) == value);
  return NULL;
}

int main(void) {
  pthread_t t;
  int five = 5;
  pthread_key_create(&key, destroy);
  pthread_create(&t, NULL, thread, &five);
  pthread_join(t, NULL);
  assert(pthread_getspecific(key) == NULL);
  assert(destroyed == 5);
}
