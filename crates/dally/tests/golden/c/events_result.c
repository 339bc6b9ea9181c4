// The handler of an interrupt has a result.
#include <dally.h>

DALLY_INTERRUPT(1) int device(void) { return 1; }

int main(void) { return 0; }
