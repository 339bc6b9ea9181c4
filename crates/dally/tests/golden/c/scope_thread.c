#include <pthread.h>

__thread int counter;
int *last;

void *worker(void *argument) {
  counter++;
  last = &counter;
  *last = 2;
  return NULL;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, worker, NULL);
  pthread_join(thread, NULL);
  return *last;
}
