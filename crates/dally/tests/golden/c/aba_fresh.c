// The stack of aba.c: without --reuse, an address is never that of another node.
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct node {
  struct node *next;
};

_Atomic(struct node *) top;
pthread_mutex_t readers = PTHREAD_MUTEX_INITIALIZER;

void push(void) {
  struct node *node = malloc(sizeof *node);
  struct node *old = top;
  do
    node->next = old;
  while (!atomic_compare_exchange_weak(&top, &old, node));
}

int pop(void) {
  struct node *old, *next;
  do {
    pthread_mutex_lock(&readers);
    old = top;
    next = old ? old->next : NULL;
    pthread_mutex_unlock(&readers);
    if (!old) return 0;
  } while (!atomic_compare_exchange_weak(&top, &old, next));
  pthread_mutex_lock(&readers);
  free(old);
  pthread_mutex_unlock(&readers);
  return 1;
}

void *other(void *unused) {
  pop();
  pop();
  push();
  return NULL;
}

int main(void) {
  pthread_t thread;
  push();
  push();
  pthread_create(&thread, NULL, other, NULL);
  pop();
  pthread_join(thread, NULL);
  while (pop())
    ;
  return 0;
}
