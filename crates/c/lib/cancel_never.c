/* Cancellation, in programs that never request it. */
static int __dally_is_cancelled(void) { return 0; }
static void __dally_cancellation_point(void) { }
int pthread_setcancelstate(int state, int *old) { if (old) *old = 0; return 0; }
int pthread_setcanceltype(int type, int *old) { if (old) *old = 0; return 0; }
void pthread_testcancel(void) { }
