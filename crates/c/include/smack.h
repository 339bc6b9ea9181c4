#ifndef __DALLY_SMACK_H
#define __DALLY_SMACK_H
#include <limits.h>
typedef struct smack_value { void *dummy; } *smack_value_t;
#define __SMACK_INIT(x) void __SMACK_init_func_##x(void)
#define assume(e) __dally_assume((e) ? 1 : 0)
#ifndef assert
#define assert(e) __dally_check((e) ? 1 : 0, "assertion failed: ", #e)
#endif
#endif
