// A bit-field of width 0 ends the storage unit: the fields of bit_fields.c are apart.
#define APART
#include "bit_fields.c"
