// A struct is copied member by member: another thread can see half of it.
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

struct pair { int a, b; };
struct pair *shared;

void *copy(void *argument) {
  *shared = *(struct pair *)argument;
  return NULL;
}

int main(void) {
  pthread_t thread;
  struct pair one = {1, 1};
  shared = calloc(1, sizeof *shared);
  pthread_create(&thread, NULL, copy, &one);
  int a = shared->a;
  int b = shared->b;
  assert(a <= b);
  return 0;
}
