/* <threads.h>, on top of POSIX threads. */
typedef pthread_t thrd_t;
typedef pthread_mutex_t mtx_t;
typedef pthread_cond_t cnd_t;
typedef pthread_once_t once_flag;
typedef pthread_key_t tss_t;
typedef int (*thrd_start_t)(void *);
typedef void (*tss_dtor_t)(void *);

int thrd_create(thrd_t *thread, thrd_start_t start, void *argument) {
  *thread = __dally_spawn((void *(*)(void *))start, argument) + 1;
  return 0;
}
int thrd_join(thrd_t thread, int *result) {
  __dally_check(thread > 0 && thread <= __dally_threads(), "thrd_join: this is not a thread");
  int number = thread - 1;
  __dally_check(__dally_thread_fate[number] != 1, "thrd_join: the thread is detached");
  __dally_check(__dally_thread_fate[number] != 2, "thrd_join: the thread has been joined already");
  __dally_await(__dally_ended(number), "the end of a thread");
  __dally_thread_fate[number] = 2;
  if (result) *result = (int)(long)__dally_result(number);
  return 0;
}
int thrd_detach(thrd_t thread) { return pthread_detach(thread); }
thrd_t thrd_current(void) { return __dally_self() + 1; }
int thrd_equal(thrd_t a, thrd_t b) { return a == b; }
void thrd_exit(int result) { pthread_exit((void *)(long)result); }
void thrd_yield(void) { __dally_yield(); }
int thrd_sleep(const struct timespec *duration, struct timespec *left) { __dally_yield(); return 0; }

int mtx_init(mtx_t *m, int type) {
  m->__owner = 0;
  m->__count = 0;
  m->__kind = type & 1;
  return 0;
}
void mtx_destroy(mtx_t *m) { pthread_mutex_destroy(m); }
int mtx_lock(mtx_t *m) { pthread_mutex_lock(m); return 0; }
int mtx_trylock(mtx_t *m) { return pthread_mutex_trylock(m) == 0 ? 0 : 1; }
int mtx_timedlock(mtx_t *m, const struct timespec *until) { return pthread_mutex_timedlock(m, until) == 0 ? 0 : 4; }
int mtx_unlock(mtx_t *m) { return pthread_mutex_unlock(m) == 0 ? 0 : 2; }
int cnd_init(cnd_t *c) { c->__number = 0; return 0; }
void cnd_destroy(cnd_t *c) { pthread_cond_destroy(c); }
int cnd_wait(cnd_t *c, mtx_t *m) { pthread_cond_wait(c, m); return 0; }
int cnd_timedwait(cnd_t *c, mtx_t *m, const struct timespec *until) { return pthread_cond_timedwait(c, m, until) == 0 ? 0 : 4; }
int cnd_signal(cnd_t *c) { pthread_cond_signal(c); return 0; }
int cnd_broadcast(cnd_t *c) { pthread_cond_broadcast(c); return 0; }
void call_once(once_flag *flag, void (*routine)(void)) { pthread_once(flag, routine); }
int tss_create(tss_t *key, tss_dtor_t destructor) { return pthread_key_create(key, destructor) == 0 ? 0 : 2; }
void tss_delete(tss_t key) { pthread_key_delete(key); }
int tss_set(tss_t key, void *value) { return pthread_setspecific(key, value) == 0 ? 0 : 2; }
void *tss_get(tss_t key) { return pthread_getspecific(key); }
