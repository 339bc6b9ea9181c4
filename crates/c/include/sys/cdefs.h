#ifndef __DALLY_SYS_CDEFS_H
#define __DALLY_SYS_CDEFS_H
#define __BEGIN_DECLS
#define __END_DECLS
#define __THROW
#endif
