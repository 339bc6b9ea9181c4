// Locks inside of objects on the heap have the names of the expressions in the calls.
#include <pthread.h>
#include <stdlib.h>

struct account { int balance; pthread_mutex_t lock; };
struct transfer { struct account *from, *to; };

void *move(void *argument) {
  struct transfer *t = argument;
  pthread_mutex_lock(&t->from->lock);
  pthread_mutex_lock(&t->to->lock);
  t->from->balance--;
  t->to->balance++;
  pthread_mutex_unlock(&t->to->lock);
  pthread_mutex_unlock(&t->from->lock);
  return NULL;
}

int main(void) {
  struct account *one = calloc(1, sizeof *one), *two = calloc(1, sizeof *two);
  struct transfer there = {one, two}, back = {two, one};
  pthread_t a, b;
  pthread_create(&a, NULL, move, &there);
  pthread_create(&b, NULL, move, &back);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  return 0;
}
