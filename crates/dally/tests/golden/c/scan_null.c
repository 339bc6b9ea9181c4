#include <stdio.h>

int main(void) {
  int *number = NULL;
  if (scanf("%d", number) == 1) puts("read");
}
