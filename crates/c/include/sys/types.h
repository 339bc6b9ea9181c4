#ifndef __DALLY_SYS_TYPES_H
#define __DALLY_SYS_TYPES_H
#include <stddef.h>
#endif
