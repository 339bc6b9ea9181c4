#ifndef __DALLY_SYS_SYSCALL_H
#define __DALLY_SYS_SYSCALL_H
#endif
