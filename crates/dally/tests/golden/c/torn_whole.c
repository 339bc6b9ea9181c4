// The counter of torn_counter.c: accesses of 16 bits are indivisible by default.
#include "torn_counter.c"
