#ifndef __DALLY_STRING_H
#define __DALLY_STRING_H
#include <stddef.h>
#endif
