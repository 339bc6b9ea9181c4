/* Cancellation: deferred to the next cancellation point of the thread. */
static unsigned char __dally_cancelled[4096];
static __thread int __dally_cancel_state;
static __thread int __dally_cancel_type;

static int __dally_is_cancelled(void) { return __dally_cancelled[__dally_self()] && __dally_cancel_state == 0; }
static void __dally_cancellation_point(void) {
  if (__dally_is_cancelled()) { __dally_cancel_state = 1; pthread_exit((void *)-1); }
}
void pthread_testcancel(void) { __dally_cancellation_point(); }

int pthread_cancel(unsigned long thread) {
  __dally_check(thread > 0 && thread <= __dally_threads(), "pthread_cancel: this is not a thread");
  __dally_cancelled[thread - 1] = 1;
  return 0;
}

int pthread_setcancelstate(int state, int *old) {
  if (state != 0 && state != 1) return 22;
  if (old) *old = __dally_cancel_state;
  __dally_cancel_state = state;
  return 0;
}

int pthread_setcanceltype(int type, int *old) {
  if (type != 0 && type != 1) return 22;
  if (type == 1) __dally_unsupported("asynchronous cancellation");
  if (old) *old = __dally_cancel_type;
  __dally_cancel_type = type;
  return 0;
}
