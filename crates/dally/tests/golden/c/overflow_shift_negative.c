// flags: --overflow
// A negative number is shifted to the left.
#include <limits.h>
#include <stdlib.h>

int main(void) {
  unsigned u = -1;
  u = u << 1;
  int a = -1;
  return a << 1;
}
