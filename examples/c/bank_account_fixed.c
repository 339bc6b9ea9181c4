// The bank account with a mutex.
//
// check: proved
#include <assert.h>
#include <pthread.h>

int balance = 100;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void *deposit(void *amount) {
  pthread_mutex_lock(&lock);
  balance = balance + *(int *)amount;
  pthread_mutex_unlock(&lock);
  return NULL;
}

void *withdraw(void *amount) {
  pthread_mutex_lock(&lock);
  balance = balance - *(int *)amount;
  pthread_mutex_unlock(&lock);
  return NULL;
}

int main(void) {
  pthread_t one, two;
  int twenty = 20, thirty = 30;
  pthread_create(&one, NULL, deposit, &twenty);
  pthread_create(&two, NULL, withdraw, &thirty);
  pthread_join(one, NULL);
  pthread_join(two, NULL);
  assert(balance == 90);
  return 0;
}
