// The stack of aba.c: without --reuse, an address is never that of another node.
#include "aba.c"
