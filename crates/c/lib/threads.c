/* Threads. A pthread_t is the number of a thread plus one, so that no thread is 0. */
typedef unsigned long pthread_t;
typedef struct { int __detached; } pthread_attr_t;

/* By thread: 1 = detached, 2 = joined. */
static unsigned char __dally_thread_fate[4096];

int pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*start)(void *), void *argument) {
  int number = __dally_spawn(start, argument);
  if (attr && attr->__detached) __dally_thread_fate[number] = 1;
  *thread = number + 1;
  return 0;
}

int pthread_join(pthread_t thread, void **result) {
  __dally_cancellation_point();
  __dally_check(thread > 0 && thread <= __dally_threads(), "pthread_join: this is not a thread");
  int number = thread - 1;
  __dally_check(number != __dally_self(), "deadlock: the thread joins itself");
  __dally_check(__dally_thread_fate[number] != 1, "pthread_join: the thread is detached");
  __dally_check(__dally_thread_fate[number] != 2, "pthread_join: the thread has been joined already");
  __dally_await(__dally_ended(number) || __dally_is_cancelled(), "the end of a thread");
  __dally_cancellation_point();
  __dally_thread_fate[number] = 2;
  if (result) *result = (void *)__dally_result(number);
  return 0;
}

int pthread_detach(pthread_t thread) {
  __dally_check(thread > 0 && thread <= __dally_threads(), "pthread_detach: this is not a thread");
  __dally_check(__dally_thread_fate[thread - 1] != 1, "pthread_detach: the thread is detached already");
  __dally_check(__dally_thread_fate[thread - 1] != 2, "pthread_detach: the thread has been joined already");
  __dally_thread_fate[thread - 1] = 1;
  return 0;
}

pthread_t pthread_self(void) { return __dally_self() + 1; }
int pthread_equal(pthread_t a, pthread_t b) { return a == b; }

int pthread_attr_init(pthread_attr_t *attr) { attr->__detached = 0; return 0; }
int pthread_attr_destroy(pthread_attr_t *attr) { return 0; }
int pthread_attr_setdetachstate(pthread_attr_t *attr, int state) {
  if (state != 0 && state != 1) return 22;
  attr->__detached = state;
  return 0;
}
int pthread_attr_getdetachstate(const pthread_attr_t *attr, int *state) { *state = attr->__detached; return 0; }
int pthread_attr_setstacksize(pthread_attr_t *attr, size_t size) { return 0; }
int pthread_attr_getstacksize(const pthread_attr_t *attr, size_t *size) { *size = 8388608; return 0; }
int pthread_attr_setguardsize(pthread_attr_t *attr, size_t size) { return 0; }
int pthread_attr_setscope(pthread_attr_t *attr, int scope) { return 0; }
int pthread_attr_setschedpolicy(pthread_attr_t *attr, int policy) { return 0; }
int pthread_attr_setinheritsched(pthread_attr_t *attr, int inherit) { return 0; }
int pthread_attr_setschedparam(pthread_attr_t *attr, const struct sched_param *param) { return 0; }
int pthread_setschedparam(pthread_t thread, int policy, const struct sched_param *param) { return 0; }
int pthread_setschedprio(pthread_t thread, int priority) { return 0; }
int pthread_setconcurrency(int level) { return 0; }
int pthread_setname_np(pthread_t thread, const char *name) { __dally_read_string(name, -1); return 0; }
int pthread_setaffinity_np(pthread_t thread, size_t size, const void *set) { return 0; }
int pthread_atfork(void (*prepare)(void), void (*parent)(void), void (*child)(void)) { return 0; }
int sched_yield(void) { __dally_yield(); return 0; }
int pthread_yield(void) { __dally_yield(); return 0; }
int sched_getcpu(void) { return 0; }
