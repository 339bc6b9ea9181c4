// flags: --reuse
// A pointer that dangles may be equal to that of a new object.
#include <assert.h>
#include <stdlib.h>

int main(void) {
  char *old = malloc(4);
  free(old);
  char *new = malloc(8);
  assert(old != new);
  free(new);
  return 0;
}
