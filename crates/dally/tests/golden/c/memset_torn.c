// memset is made in pieces: another thread sees it half done.
#include <assert.h>
#include <pthread.h>
#include <string.h>

long values[4] = {1, 1, 1, 1};

void *clear(void *unused) {
  memset(values, 0, sizeof values);
  return NULL;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, clear, NULL);
  long first = values[0], last = values[3];
  assert(first == 1 || last == 0);
  pthread_join(thread, NULL);
  return 0;
}
