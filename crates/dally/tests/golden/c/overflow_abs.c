// flags: --overflow
// The absolute value of the smallest number.
#include <limits.h>
#include <stdlib.h>

int main(void) {
  int a = INT_MIN + 1;
  a = abs(a);
  return abs(-a - 1);
}
