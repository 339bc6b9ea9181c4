// An object keeps its number in a trace, though others before it are lost.
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

struct node {
  struct node *next;
} *head;

void *work(void *unused) {
  for (int i = 0; i < 2; i++) {
    struct node *node = malloc(sizeof *node);
    node->next = head;
    head = node;
  }
  return NULL;
}

int main(void) {
  pthread_t thread;
  struct node *lost = malloc(sizeof *lost);
  lost = malloc(sizeof *lost);
  pthread_create(&thread, NULL, work, NULL);
  pthread_join(thread, NULL);
  free(lost);
  lost = head;
  head = head->next;
  free(lost);
  assert(head->next != NULL);
  return 0;
}
