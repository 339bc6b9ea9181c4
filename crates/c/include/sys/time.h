#ifndef __DALLY_SYS_TIME_H
#define __DALLY_SYS_TIME_H
#include <time.h>
#endif
