// A lock-free stack whose pop frees a node that another thread may still read.
//
// check: bug 1
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct node {
  struct node *next;
  int value;
};

_Atomic(struct node *) top;

void push(int value) {
  struct node *node = malloc(sizeof *node);
  node->value = value;
  node->next = top;
  while (!atomic_compare_exchange_strong(&top, &node->next, node))
    ;
}

void *pop(void *unused) {
  struct node *node = top;
  while (node != NULL && !atomic_compare_exchange_strong(&top, &node, node->next))
    ;
  free(node);
  return NULL;
}

int main(void) {
  pthread_t one, two;
  push(1);
  push(2);
  pthread_create(&one, NULL, pop, NULL);
  pthread_create(&two, NULL, pop, NULL);
  pthread_join(one, NULL);
  pthread_join(two, NULL);
  return 0;
}
