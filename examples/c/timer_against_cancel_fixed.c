// The request of timer_against_cancel.c: the one that claims it, timer or answer, completes it.
//
// check: proved
#define FIXED
#include "timer_against_cancel.c"
