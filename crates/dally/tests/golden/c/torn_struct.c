// flags: --atomic-width 16
// The assignment of a struct on the heap is torn inside of its members, too; a negative number is put together again.
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

struct reading {
  int value;
} *last;

void *sensor(void *unused) {
  struct reading next = {-1};
  *last = next;
  return NULL;
}

int main(void) {
  pthread_t thread;
  last = malloc(sizeof *last);
  last->value = 5;
  pthread_create(&thread, NULL, sensor, NULL);
  int seen = last->value;
  assert(seen == 5 || seen == -1);
  pthread_join(thread, NULL);
  return 0;
}
