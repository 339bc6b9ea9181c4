// flags: --json
#include <assert.h>
#include <stdatomic.h>
#include <threads.h>

atomic_int counter;

int increment(void *unused) {
  counter++;
  return 7;
}

int main(void) {
  thrd_t thread;
  int result;
  thrd_create(&thread, increment, NULL);
  counter++;
  thrd_join(thread, &result);
  assert(counter == 2 && result == 7);
}
