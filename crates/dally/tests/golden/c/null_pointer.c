#include <stddef.h>

struct point { int x, y; };

int main(void) {
  struct point *p = NULL;
  return p->y;
}
