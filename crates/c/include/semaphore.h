#ifndef __DALLY_SEMAPHORE_H
#define __DALLY_SEMAPHORE_H
#define SEM_VALUE_MAX 2147483647
#define SEM_FAILED ((sem_t *)0)
#endif
