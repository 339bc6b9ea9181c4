#include <assert.h>
#include <stdio.h>

int main(void) {
  int x = 3;
  printf("x is %d\n", x);
  assert(x == 4 && "four");
  return 0;
}
