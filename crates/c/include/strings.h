#ifndef __DALLY_STRINGS_H
#define __DALLY_STRINGS_H
#endif
