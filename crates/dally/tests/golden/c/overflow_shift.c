// flags: --overflow
// A bit is shifted into the sign.
#include <limits.h>
#include <stdlib.h>

int main(void) {
  int bit = 30;
  int low = 1 << bit;
  return low != (1 << 31);
}
