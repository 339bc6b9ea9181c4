// An interrupt of a buffer that has no tasks.
#include <dally.h>

DALLY_INTERRUPT_IN(3, 1) void device(void) {}

int main(void) { return 0; }
