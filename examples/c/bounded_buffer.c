// A buffer with room for one item, and one condition variable for both producers and consumers: a signal may wake
// a thread that cannot go on.
//
// check: deadlock 0
#include <pthread.h>

int items;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t changed = PTHREAD_COND_INITIALIZER;

void *producer(void *unused) {
  for (int i = 0; i < 2; i++) {
    pthread_mutex_lock(&lock);
    while (items == 1)
      pthread_cond_wait(&changed, &lock);
    items++;
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&lock);
  }
  return NULL;
}

void *consumer(void *unused) {
  pthread_mutex_lock(&lock);
  while (items == 0)
    pthread_cond_wait(&changed, &lock);
  items--;
  pthread_cond_signal(&changed);
  pthread_mutex_unlock(&lock);
  return NULL;
}

int main(void) {
  pthread_t threads[3];
  pthread_create(&threads[0], NULL, consumer, NULL);
  pthread_create(&threads[1], NULL, consumer, NULL);
  pthread_create(&threads[2], NULL, producer, NULL);
  for (int i = 0; i < 3; i++)
    pthread_join(threads[i], NULL);
  return 0;
}
