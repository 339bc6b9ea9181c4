#ifndef __DALLY_WAIT_H
#define __DALLY_WAIT_H
#include <sys/wait.h>
#endif
