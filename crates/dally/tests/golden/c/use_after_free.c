#include <stdlib.h>

struct node { struct node *next; int value; };

int main(void) {
  struct node *a = malloc(sizeof *a);
  a->next = malloc(sizeof *a);
  a->next->value = 2;
  free(a->next);
  return a->next->value;
}
