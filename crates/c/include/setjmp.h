#ifndef __DALLY_SETJMP_H
#define __DALLY_SETJMP_H
#define sigsetjmp(state, mask) setjmp(state)
#define siglongjmp(state, value) longjmp(state, value)
#endif
