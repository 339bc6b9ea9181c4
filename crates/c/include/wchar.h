#ifndef __DALLY_WCHAR_H
#define __DALLY_WCHAR_H
#include <stddef.h>
#endif
