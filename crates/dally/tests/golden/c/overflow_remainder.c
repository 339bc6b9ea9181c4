// flags: --overflow
// The remainder of `INT_MIN` and -1 overflows as the quotient does.
#include <limits.h>
#include <stdlib.h>

int main(void) {
  int a = INT_MIN, b = -1;
  return a % b;
}
