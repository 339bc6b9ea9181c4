#ifndef __DALLY_MALLOC_H
#define __DALLY_MALLOC_H
#endif
