/* Condition variables and barriers: __dally_waits[t] is the number of the one for which thread t waits, or 0.
   Numbers are given at the first wait, so that memory that is all zero is a condition variable. */
typedef struct { int __number; } pthread_cond_t;
typedef struct { int __clock; } pthread_condattr_t;
typedef struct { int __number; unsigned __count; unsigned __arrived; } pthread_barrier_t;
typedef struct { int __shared; } pthread_barrierattr_t;

static int __dally_waitables;
static int __dally_waits[4096];

/* Releases one thread that waits for the number, or all. Which one is a choice. */
static void __dally_release_waiters(int number, int all) {
  int left = 0;
  int threads = __dally_threads();
  for (int t = 0; t < threads; t++)
    if (__dally_waits[t] == number) left++;
  for (int t = 0; t < threads && left > 0; t++)
    if (__dally_waits[t] == number) {
      if (all) __dally_waits[t] = 0;
      else if (left == 1 || __dally_choose(2) == 0) { __dally_waits[t] = 0; left = 1; }
      left--;
    }
}

static int __dally_has_waiters(int number) {
  int threads = __dally_threads();
  for (int t = 0; t < threads; t++)
    if (__dally_waits[t] == number) return 1;
  return 0;
}

int pthread_cond_init(pthread_cond_t *c, const pthread_condattr_t *attr) { c->__number = 0; return 0; }

int pthread_cond_destroy(pthread_cond_t *c) {
  __dally_check(c->__number != -1, "pthread_cond_destroy: the condition variable has been destroyed already");
  if (c->__number > 0)
    __dally_check(!__dally_has_waiters(c->__number), "pthread_cond_destroy: threads wait on the condition variable");
  c->__number = -1;
  return 0;
}

int pthread_cond_wait(pthread_cond_t *c, pthread_mutex_t *m) {
  int self = __dally_self();
  int woken = 0;
  int count = m->__count;
  __dally_check(c->__number != -1, "pthread_cond_wait: the condition variable has been destroyed");
  __dally_check(m->__owner == self + 1, "pthread_cond_wait: the thread does not hold the mutex");
  __dally_cancellation_point();
  if (c->__number == 0) c->__number = ++__dally_waitables;
  __dally_waits[self] = c->__number;
  m->__owner = 0;
  m->__count = 0;
  if (__dally_spurious) { woken = __dally_choose(2); if (woken) __dally_yield(); }
  __dally_await((woken || __dally_waits[self] == 0 || __dally_is_cancelled()) && m->__owner == 0,
                "condition variable ", c);
  __dally_waits[self] = 0;
  m->__owner = self + 1;
  m->__count = count;
  __dally_cancellation_point();
  return 0;
}

/* A timed wait may end at any moment at which the mutex is free: with 0 if the thread has been signalled. */
int pthread_cond_timedwait(pthread_cond_t *c, pthread_mutex_t *m, const struct timespec *until) {
  int self = __dally_self();
  int count = m->__count;
  int result = 0;
  __dally_check(c->__number != -1, "pthread_cond_timedwait: the condition variable has been destroyed");
  __dally_check(m->__owner == self + 1, "pthread_cond_timedwait: the thread does not hold the mutex");
  __dally_cancellation_point();
  if (c->__number == 0) c->__number = ++__dally_waitables;
  __dally_waits[self] = c->__number;
  m->__owner = 0;
  m->__count = 0;
  __dally_yield();
  __dally_await(m->__owner == 0, "mutex ", m, m->__owner);
  if (__dally_waits[self] != 0) result = 110;
  __dally_waits[self] = 0;
  m->__owner = self + 1;
  m->__count = count;
  __dally_cancellation_point();
  return result;
}

int pthread_cond_signal(pthread_cond_t *c) {
  __dally_check(c->__number != -1, "pthread_cond_signal: the condition variable has been destroyed");
  if (c->__number > 0) __dally_release_waiters(c->__number, 0);
  return 0;
}

int pthread_cond_broadcast(pthread_cond_t *c) {
  __dally_check(c->__number != -1, "pthread_cond_broadcast: the condition variable has been destroyed");
  if (c->__number > 0) __dally_release_waiters(c->__number, 1);
  return 0;
}

int pthread_condattr_init(pthread_condattr_t *attr) { attr->__clock = 0; return 0; }
int pthread_condattr_destroy(pthread_condattr_t *attr) { return 0; }
int pthread_condattr_setclock(pthread_condattr_t *attr, int clock) { attr->__clock = clock; return 0; }
int pthread_condattr_setpshared(pthread_condattr_t *attr, int shared) { return 0; }

int pthread_barrier_init(pthread_barrier_t *b, const pthread_barrierattr_t *attr, unsigned count) {
  if (count == 0) return 22;
  b->__number = ++__dally_waitables;
  b->__count = count;
  b->__arrived = 0;
  return 0;
}

int pthread_barrier_destroy(pthread_barrier_t *b) {
  __dally_check(b->__count != 0, "pthread_barrier_destroy: the barrier is not initialised");
  __dally_check(b->__arrived == 0, "pthread_barrier_destroy: threads wait at the barrier");
  b->__count = 0;
  return 0;
}

int pthread_barrier_wait(pthread_barrier_t *b) {
  int self = __dally_self();
  __dally_check(b->__count != 0, "pthread_barrier_wait: the barrier is not initialised");
  b->__arrived++;
  if (b->__arrived == b->__count) {
    b->__arrived = 0;
    __dally_release_waiters(b->__number, 1);
    return -1;
  }
  __dally_waits[self] = b->__number;
  __dally_await(__dally_waits[self] == 0, "barrier ", b);
  return 0;
}

int pthread_barrierattr_init(pthread_barrierattr_t *attr) { return 0; }
int pthread_barrierattr_destroy(pthread_barrierattr_t *attr) { return 0; }
int pthread_barrierattr_setpshared(pthread_barrierattr_t *attr, int shared) { return 0; }
