// A pointer that is computed with as an integer leads to its object when the computation is undone.
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
union u { int *p; unsigned long n; };
union u a;
unsigned long key = 0x5555555555555555UL, hidden;
void *worker(void *arg) { int *j = malloc(4); *j = 1; free(j); return 0; }
int main(void) {
  pthread_t t;
  int *first = malloc(sizeof *first);
  a.p = malloc(4);
  *a.p = 9;
  hidden = a.n ^ key;
  a.n = 0;
  free(first); first = 0;
  pthread_create(&t, 0, worker, 0);
  pthread_join(t, 0);
  a.n = hidden ^ key;
  assert(*a.p == 9);
}
