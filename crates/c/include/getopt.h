#ifndef __DALLY_GETOPT_H
#define __DALLY_GETOPT_H
#include <unistd.h>
#define no_argument 0
#define required_argument 1
#define optional_argument 2
#endif
