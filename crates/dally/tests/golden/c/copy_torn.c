#include <assert.h>
#include <pthread.h>
#include <string.h>

struct {
  long first, second, third;
} shared, ones = {1, 1, 1};

void *writer(void *argument) {
  memcpy(&shared, &ones, sizeof shared);
  return NULL;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, writer, NULL);
  long first = shared.first, third = shared.third;
  assert(first == 0 || third == 1);
  pthread_join(thread, NULL);
}
