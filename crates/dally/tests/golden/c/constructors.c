// Functions that run before `main`, by priority, and at the end of the program, in the opposite order.
#include <assert.h>
#include <stdlib.h>

int order;

__attribute__((constructor)) static void last(void) { order = order * 10 + 3; }
__attribute__((constructor(102))) static void second(void) { order = order * 10 + 2; }
static void __attribute__((constructor(101))) first(void) { order = order * 10 + 1; }

static void handler(void) { order = order * 10 + 4; }
__attribute__((destructor)) static void early(void) { order = order * 10 + 5; }
__attribute__((destructor(101))) static void late(void) { assert(order != 12345); }

int main(void) {
  assert(order == 123);
  atexit(handler);
  return 0;
}
