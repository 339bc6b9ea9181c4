// A pointer that is copied byte by byte still leads to its object, after other objects were freed and renumbered.
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
char saved[sizeof(int *)];
int done;
void *worker(void *arg) {
  int *junk = malloc(4); *junk = 1; free(junk);
  done = 1;
  return 0;
}
int main(void) {
  pthread_t t;
  int *first = malloc(sizeof *first);
  int *p = malloc(sizeof *p);
  *p = 7;
  char *c = (char *)&p;
  for (unsigned i = 0; i < sizeof p; i++) saved[i] = c[i];
  p = 0;
  free(first); first = 0;
  pthread_create(&t, 0, worker, 0);
  pthread_join(t, 0);
  int *q;
  char *d = (char *)&q;
  for (unsigned i = 0; i < sizeof q; i++) d[i] = saved[i];
  assert(*q == 7);
  free(q);
}
