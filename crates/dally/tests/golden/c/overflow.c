// flags: --overflow
#include <limits.h>

int main(void) {
  int x = INT_MAX;
  unsigned wraps = UINT_MAX;
  wraps++;
  x++;
}
