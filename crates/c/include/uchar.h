#ifndef __DALLY_UCHAR_H
#define __DALLY_UCHAR_H
#include <stddef.h>
#include <stdint.h>
typedef uint16_t char16_t;
typedef uint32_t char32_t;
#endif
