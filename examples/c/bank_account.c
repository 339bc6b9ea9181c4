// Two threads change the balance of an account without a lock, and one change is lost.
//
// check: bug 1
#include <assert.h>
#include <pthread.h>

int balance = 100;

void *deposit(void *amount) {
  balance = balance + *(int *)amount;
  return NULL;
}

void *withdraw(void *amount) {
  balance = balance - *(int *)amount;
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
