// A queue of jobs on the heap: a worker takes jobs until the queue is closed.
//
// check: proved
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

struct job {
  struct job *next;
  int amount;
};

struct job *queue;
int closed, done;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t changed = PTHREAD_COND_INITIALIZER;

void add(int amount) {
  struct job *job = malloc(sizeof *job);
  job->amount = amount;
  pthread_mutex_lock(&lock);
  job->next = queue;
  queue = job;
  pthread_cond_signal(&changed);
  pthread_mutex_unlock(&lock);
}

void *worker(void *unused) {
  pthread_mutex_lock(&lock);
  while (queue != NULL || !closed) {
    if (queue == NULL) {
      pthread_cond_wait(&changed, &lock);
      continue;
    }
    struct job *job = queue;
    queue = job->next;
    done += job->amount;
    free(job);
  }
  pthread_mutex_unlock(&lock);
  return NULL;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, worker, NULL);
  add(1);
  add(2);
  pthread_mutex_lock(&lock);
  closed = 1;
  pthread_cond_signal(&changed);
  pthread_mutex_unlock(&lock);
  pthread_join(thread, NULL);
  assert(done == 3);
  return 0;
}
