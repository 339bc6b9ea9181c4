// The loop of torn_counter.c, which reads the counter while interrupts are off.
//
// check --atomic-width 8: proved
#define FIXED
#include "torn_counter.c"
