// The distance between two objects stays the same while objects are renumbered.
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <stddef.h>
ptrdiff_t off; char *base;
void *worker(void *arg) { int *j = malloc(4); *j = 1; free(j); return 0; }
int main(void) {
  pthread_t t;
  int *first = malloc(sizeof *first);
  base = malloc(8);
  int *p = malloc(4);
  *p = 9;
  off = (char *)p - base;
  p = 0;
  free(first); first = 0;
  pthread_create(&t, 0, worker, 0);
  pthread_join(t, 0);
  p = (int *)(base + off);
  assert(*p == 9);
}
