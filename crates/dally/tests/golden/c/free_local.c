// A local variable is not on the heap.
#include <stdlib.h>

int main(void) {
  int local = 0;
  int *p = &local;
  free(p);
  return 0;
}
