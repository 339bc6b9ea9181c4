// The account of bank_account.c with a mutex: no change is lost.
//
// check: proved
#include <assert.h>
#include <pthread.h>

int balance = 100;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void *change(void *amount) {
  pthread_mutex_lock(&lock);
  balance = balance + *(int *)amount;
  pthread_mutex_unlock(&lock);
  return NULL;
}

int main(void) {
  pthread_t threads[2];
  int amounts[2] = {20, -30};
  for (int i = 0; i < 2; i++)
    pthread_create(&threads[i], NULL, change, &amounts[i]);
  for (int i = 0; i < 2; i++)
    pthread_join(threads[i], NULL);
  assert(balance == 90);
  return 0;
}
