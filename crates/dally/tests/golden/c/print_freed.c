#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(void) {
  char *name = malloc(4);
  strcpy(name, "abc");
  printf("%d: %s\n", 1, name);
  free(name);
  fprintf(stderr, "%d: %s\n", 2, name);
}
