// An element of a local array to which nothing was assigned.
#include <assert.h>

int main(void) {
  int a[4];
  a[0] = 1;
  assert(a[1] != 17);
  return 0;
}
