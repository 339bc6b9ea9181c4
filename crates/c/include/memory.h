#ifndef __DALLY_MEMORY_H
#define __DALLY_MEMORY_H
#endif
