// A ticket lock: atomic_fetch_add hands out tickets, and threads enter in their order.
//
// check: proved
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

atomic_uint next_ticket, now_serving;
int counter;

void *worker(void *unused) {
  unsigned ticket = atomic_fetch_add(&next_ticket, 1);
  while (atomic_load(&now_serving) != ticket)
    ;
  counter = counter + 1;
  atomic_store(&now_serving, ticket + 1);
  return NULL;
}

int main(void) {
  pthread_t workers[2];
  for (int i = 0; i < 2; i++)
    pthread_create(&workers[i], NULL, worker, NULL);
  for (int i = 0; i < 2; i++)
    pthread_join(workers[i], NULL);
  assert(counter == 2);
  return 0;
}
