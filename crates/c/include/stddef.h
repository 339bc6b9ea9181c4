#ifndef __DALLY_STDDEF_H
#define __DALLY_STDDEF_H
#ifndef NULL
#define NULL ((void *)0)
#endif
#define offsetof(type, member) __builtin_offsetof(type, member)
#endif
