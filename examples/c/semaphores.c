// Two threads take two semaphores in opposite orders.
//
// check: deadlock 1
#include <pthread.h>
#include <semaphore.h>

sem_t printer, scanner;

void *copy(void *unused) {
  sem_wait(&scanner);
  sem_wait(&printer);
  sem_post(&printer);
  sem_post(&scanner);
  return NULL;
}

int main(void) {
  pthread_t thread;
  sem_init(&printer, 0, 1);
  sem_init(&scanner, 0, 1);
  pthread_create(&thread, NULL, copy, NULL);
  sem_wait(&printer);
  sem_wait(&scanner);
  sem_post(&scanner);
  sem_post(&printer);
  pthread_join(thread, NULL);
  return 0;
}
