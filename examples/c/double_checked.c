// Double-checked locking that publishes the object before it is initialised.
//
// check: bug 1
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

struct config { int limit; };

struct config *config;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

struct config *get(void) {
  if (config == NULL) {
    pthread_mutex_lock(&lock);
    if (config == NULL) {
      config = calloc(1, sizeof(struct config));
      config->limit = 10;
    }
    pthread_mutex_unlock(&lock);
  }
  return config;
}

void *user(void *unused) {
  assert(get()->limit == 10);
  return NULL;
}

int main(void) {
  pthread_t one, two;
  pthread_create(&one, NULL, user, NULL);
  pthread_create(&two, NULL, user, NULL);
  pthread_join(one, NULL);
  pthread_join(two, NULL);
  free(config);
  return 0;
}
