// The assumption discards the execution, but only after other threads could see the change before it.
#include <assert.h>
#include <pthread.h>

void __VERIFIER_assume(int);
int x;

void *other(void *argument) {
  assert(x == 0);
  return NULL;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, other, NULL);
  x = 1;
  __VERIFIER_assume(0);
  return 0;
}
