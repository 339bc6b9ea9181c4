// The bottom half of lost_interrupt.c, which takes the count while interrupts are off.
//
// check: proved
#define FIXED
#include "lost_interrupt.c"
