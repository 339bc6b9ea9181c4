// Atomic structs are read, written, exchanged and compared as a whole: a stack whose top has a version.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifndef REPEATS
#define REPEATS 1
#endif

struct top {
  int node;
  unsigned version;
};

_Atomic struct top top;
struct top last;

void *push(void *arg) {
  struct top old = atomic_load(&top), new;
  do {
    new.node = old.node * 2 + (int)(long)arg;
    new.version = old.version + 1;
  } while (!atomic_compare_exchange_weak(&top, &old, new) && REPEATS);
  return NULL;
}

int main(void) {
  pthread_t one, two;
  pthread_create(&one, NULL, push, (void *)1);
  pthread_create(&two, NULL, push, (void *)2);
  struct top seen = top;
  assert(seen.version < 2 ? seen.node == (int)seen.version * seen.node : seen.node == 4 || seen.node == 5);
  assert((seen.version == 0) == (seen.node == 0));
  pthread_join(one, NULL);
  pthread_join(two, NULL);
  struct top empty = {0, 0};
  last = atomic_exchange(&top, empty);
  assert(last.version == 2 && (last.node == 4 || last.node == 5));
  seen = top;
  assert(seen.version == 0);
  struct top wrong = {1, 0};
  assert(!atomic_compare_exchange_strong(&top, &wrong, last) && wrong.node == 0);
  return 0;
}
