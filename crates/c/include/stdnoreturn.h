#ifndef __DALLY_STDNORETURN_H
#define __DALLY_STDNORETURN_H
#define noreturn _Noreturn
#endif
