// A thread that joins itself waits forever.
#include <pthread.h>

int main(void) {
  pthread_join(pthread_self(), NULL);
  return 0;
}
