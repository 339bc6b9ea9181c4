// Misuse of dally.h.
#include <dally.h>

struct pair { int a, b; };
void two(int a, int b) {}
void whole(struct pair p) {}
DALLY_INTERRUPT(0) void lowest(void) {}
DALLY_INTERRUPT(1) void with_parameter(int n) {}
DALLY_ENTRY(70000) void far_away(void) {}
DALLY_ENTRY(0) void with_argument(int n) {}
__attribute__((dally_entrance(0, 0))) void misspelt(void) {}
void ordinary(void) {}

int main(void) {
  int level = 1;
  dally_post(two, 0);
  dally_post(whole, 0);
  dally_post(level, 0);
  dally_post_at(level, ordinary, 0);
  dally_post_at(-2, ordinary, 0);
  dally_enable(ordinary);
  dally_raise(level);
  return 0;
}
