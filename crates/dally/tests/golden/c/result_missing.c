// A thread that ends without `return` has the result NULL; `main`'s variables exist until the program ends.
#include <assert.h>
#include <pthread.h>

void *first(void *argument) { *(int *)argument = 1; }
void *second(void *argument) { int copy = *(int *)argument; return NULL; }

int main(void) {
  pthread_t one, two;
  int x = 0;
  void *result;
  pthread_create(&one, NULL, first, &x);
  pthread_join(one, &result);
  assert(result == NULL && x == 1);
  pthread_create(&two, NULL, second, &x);
  return 0;
}
