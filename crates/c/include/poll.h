#ifndef __DALLY_POLL_H
#define __DALLY_POLL_H
#endif
