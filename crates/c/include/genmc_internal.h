#ifndef __DALLY_GENMC_INTERNAL_H
#define __DALLY_GENMC_INTERNAL_H
#include <genmc.h>
#endif
