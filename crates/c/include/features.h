#ifndef __DALLY_FEATURES_H
#define __DALLY_FEATURES_H
#endif
