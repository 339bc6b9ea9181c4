#ifndef __DALLY_SYS_WAIT_H
#define __DALLY_SYS_WAIT_H
#define WNOHANG 1
#define WEXITSTATUS(status) (((status) >> 8) & 255)
#define WIFEXITED(status) (((status) & 127) == 0)
#endif
