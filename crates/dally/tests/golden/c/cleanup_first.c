// The attribute before the type, in both spellings. The last assertion fails: the variable is 7 when its scope ends.
#include <assert.h>

int ended;

static void end(int *p) { ended = *p; }

int main(void) {
  {
    __attribute__((cleanup(end))) int x = 5;
    x = 6;
  }
  assert(ended == 6);
  {
    [[gnu::cleanup(end)]] int x = 7;
  }
  assert(ended == 8);
  return 0;
}
