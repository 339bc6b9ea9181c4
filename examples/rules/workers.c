// flags: --threads 1 --rules workers.rules
// result: with workers.rules: bug 0; without: bug 3 with rtc
//
// A pool of workers, each with a thread that writes out its result. The buffer of results has room for three of them, and
// a worker does not wait for room: four workers overflow it if they are done before the first writer runs.
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>

#define WORKERS 4
#define ROOM 3

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int results;
static sem_t done[WORKERS];

static void *worker(void *id) {
  pthread_mutex_lock(&lock);
  results++;
  assert(results <= ROOM);
  pthread_mutex_unlock(&lock);
  sem_post(&done[(long)id]);
  return 0;
}

static void *writer(void *id) {
  sem_wait(&done[(long)id]);
  pthread_mutex_lock(&lock);
  results--;
  pthread_mutex_unlock(&lock);
  return 0;
}

int main(void) {
  pthread_t threads[2 * WORKERS];
  for (long i = 0; i < WORKERS; i++) {
    sem_init(&done[i], 0, 0);
    pthread_create(&threads[2 * i], 0, worker, (void *)i);
    pthread_create(&threads[2 * i + 1], 0, writer, (void *)i);
  }
  for (int i = 0; i < 2 * WORKERS; i++) {
    pthread_join(threads[i], 0);
  }
  return 0;
}
