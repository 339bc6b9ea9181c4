#include <stdio.h>

int main(void) {
  int *count = NULL;
  printf("abc%n\n", count);
}
