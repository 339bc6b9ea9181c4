#include <pthread.h>

void *worker(void *argument) {
  *(int *)argument = 1;
  return NULL;
}

void start(pthread_t *thread) {
  int argument = 0;
  pthread_create(thread, NULL, worker, &argument);
}

int main(void) {
  pthread_t thread;
  start(&thread);
  pthread_join(thread, NULL);
}
