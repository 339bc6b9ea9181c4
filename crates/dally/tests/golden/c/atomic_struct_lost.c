// The stack of atomic_struct.c, where a failed exchange is not repeated: one change is not made.
#define REPEATS 0
#include "atomic_struct.c"
