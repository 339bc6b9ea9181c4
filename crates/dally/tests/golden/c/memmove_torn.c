// An overlapping memmove is made in pieces, from the end that would be overwritten: for a moment, a value is there twice.
#include <assert.h>
#include <pthread.h>
#include <string.h>

long queue[4] = {1, 2, 3, 0};

void *insert(void *unused) {
  memmove(queue + 1, queue, 3 * sizeof *queue);
  queue[0] = 9;
  return NULL;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, insert, NULL);
  long fourth = queue[3];
  long third = queue[2];
  pthread_join(thread, NULL);
  assert(queue[0] == 9 && queue[1] == 1 && queue[2] == 2 && queue[3] == 3);
  assert(!(third == 3 && fourth == 3));
  return 0;
}
