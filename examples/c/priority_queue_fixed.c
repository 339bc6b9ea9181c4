// The queue of priority_queue.c, whose producer is not interrupted.
//
// check: proved
#define FIXED
#include "priority_queue.c"
