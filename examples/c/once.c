// pthread_once runs the initialisation once, and other threads wait for its end.
//
// check: proved
#include <assert.h>
#include <pthread.h>

int table[2];
int runs;
pthread_once_t once = PTHREAD_ONCE_INIT;

void fill(void) {
  runs++;
  table[0] = 1;
  table[1] = 2;
}

void *user(void *unused) {
  pthread_once(&once, fill);
  assert(runs == 1 && table[0] + table[1] == 3);
  return NULL;
}

int main(void) {
  pthread_t users[2];
  for (int i = 0; i < 2; i++)
    pthread_create(&users[i], NULL, user, NULL);
  for (int i = 0; i < 2; i++)
    pthread_join(users[i], NULL);
  return 0;
}
