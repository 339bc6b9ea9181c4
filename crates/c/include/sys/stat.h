#ifndef __DALLY_SYS_STAT_H
#define __DALLY_SYS_STAT_H
#endif
