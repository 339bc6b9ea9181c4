#ifndef __DALLY_ALLOCA_H
#define __DALLY_ALLOCA_H
#define alloca(n) __builtin_alloca(n)
#endif
