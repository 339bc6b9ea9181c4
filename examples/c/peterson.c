// Peterson's algorithm for mutual exclusion, which needs no lock under sequential consistency.
//
// check: proved
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

atomic_int wants[2];
atomic_int turn;
int inside;

void *process(void *argument) {
  long me = (long)argument;
  wants[me] = 1;
  turn = 1 - me;
  while (wants[1 - me] && turn == 1 - me)
    ;
  inside++;
  assert(inside == 1);
  inside--;
  wants[me] = 0;
  return NULL;
}

int main(void) {
  pthread_t one, two;
  pthread_create(&one, NULL, process, (void *)0);
  pthread_create(&two, NULL, process, (void *)1);
  pthread_join(one, NULL);
  pthread_join(two, NULL);
  return 0;
}
