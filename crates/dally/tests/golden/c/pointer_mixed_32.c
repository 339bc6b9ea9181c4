// flags: --data-model ilp32
// An address has no room in an integer of 32 bits.
#include "pointer_mixed.c"
