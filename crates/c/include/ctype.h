#ifndef __DALLY_CTYPE_H
#define __DALLY_CTYPE_H
#endif
