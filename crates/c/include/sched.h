#ifndef __DALLY_SCHED_H
#define __DALLY_SCHED_H
#define SCHED_OTHER 0
#define SCHED_FIFO 1
#define SCHED_RR 2
#endif
