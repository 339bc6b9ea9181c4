#ifndef __DALLY_STDALIGN_H
#define __DALLY_STDALIGN_H
#define alignas _Alignas
#define alignof _Alignof
#endif
