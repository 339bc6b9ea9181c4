#include <assert.h>
#include <pthread.h>

int counter;

void *increment(void *unused) {
  counter++;
  return NULL;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, increment, NULL);
  counter++;
  pthread_join(thread, NULL);
  assert(counter == 2);
}
