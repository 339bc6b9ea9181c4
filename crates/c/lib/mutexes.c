/* Mutexes and spin locks. Memory that is all zero is an unlocked normal mutex.
   Kinds: 0 normal (also 3, adaptive), 1 recursive, 2 error-checking, -1 destroyed. */
typedef struct { int __owner; int __count; int __kind; } pthread_mutex_t;
typedef struct { int __kind; } pthread_mutexattr_t;
typedef struct { int __owner; } pthread_spinlock_t;

int pthread_mutex_init(pthread_mutex_t *m, const pthread_mutexattr_t *attr) {
  m->__owner = 0;
  m->__count = 0;
  m->__kind = 0;
  if (attr) m->__kind = attr->__kind;
  return 0;
}

int pthread_mutex_destroy(pthread_mutex_t *m) {
  __dally_check(m->__kind != -1, "pthread_mutex_destroy: the mutex has been destroyed already");
  __dally_check(m->__owner == 0, "pthread_mutex_destroy: the mutex is locked");
  m->__kind = -1;
  return 0;
}

int pthread_mutex_lock(pthread_mutex_t *m) {
  int self = __dally_self() + 1;
  __dally_check(m->__kind != -1, "pthread_mutex_lock: the mutex has been destroyed");
  if (m->__owner == self) {
    if (m->__kind == 1) { m->__count++; return 0; }
    if (m->__kind == 2) return 35;
    __dally_fail("deadlock: the thread locks a mutex that it holds already");
  }
  __dally_await(m->__owner == 0, "mutex ", m, m->__owner);
  m->__owner = self;
  return 0;
}

int pthread_mutex_trylock(pthread_mutex_t *m) {
  int self = __dally_self() + 1;
  __dally_check(m->__kind != -1, "pthread_mutex_trylock: the mutex has been destroyed");
  if (m->__owner == self && m->__kind == 1) { m->__count++; return 0; }
  if (m->__owner != 0) return 16;
  m->__owner = self;
  return 0;
}

/* A timed lock may time out as long as the mutex is not free. */
int pthread_mutex_timedlock(pthread_mutex_t *m, const struct timespec *until) {
  int self = __dally_self() + 1;
  __dally_check(m->__kind != -1, "pthread_mutex_timedlock: the mutex has been destroyed");
  if (m->__owner == self) {
    if (m->__kind == 1) { m->__count++; return 0; }
    if (m->__kind == 2) return 35;
  }
  if (m->__owner != 0) __dally_yield();
  if (m->__owner != 0) return 110;
  m->__owner = self;
  return 0;
}

int pthread_mutex_unlock(pthread_mutex_t *m) {
  __dally_check(m->__kind != -1, "pthread_mutex_unlock: the mutex has been destroyed");
  if (m->__owner != __dally_self() + 1) {
    if (m->__kind == 1 || m->__kind == 2) return 1;
    __dally_check(m->__owner != 0, "pthread_mutex_unlock: the mutex is not locked");
    __dally_fail("pthread_mutex_unlock: the mutex is held by another thread");
  }
  if (m->__count > 0) { m->__count--; return 0; }
  m->__owner = 0;
  return 0;
}

int pthread_mutex_consistent(pthread_mutex_t *m) { return 0; }
int pthread_mutexattr_init(pthread_mutexattr_t *attr) { attr->__kind = 0; return 0; }
int pthread_mutexattr_destroy(pthread_mutexattr_t *attr) { return 0; }
int pthread_mutexattr_settype(pthread_mutexattr_t *attr, int kind) {
  if (kind < 0 || kind > 3) return 22;
  attr->__kind = kind;
  return 0;
}
int pthread_mutexattr_gettype(const pthread_mutexattr_t *attr, int *kind) { *kind = attr->__kind; return 0; }
int pthread_mutexattr_setpshared(pthread_mutexattr_t *attr, int shared) { return 0; }
int pthread_mutexattr_setprotocol(pthread_mutexattr_t *attr, int protocol) { return 0; }
int pthread_mutexattr_setrobust(pthread_mutexattr_t *attr, int robust) { return 0; }

int pthread_spin_init(pthread_spinlock_t *lock, int shared) { lock->__owner = 0; return 0; }
int pthread_spin_destroy(pthread_spinlock_t *lock) {
  __dally_check(lock->__owner == 0, "pthread_spin_destroy: the spin lock is locked");
  return 0;
}
int pthread_spin_lock(pthread_spinlock_t *lock) {
  __dally_check(lock->__owner != __dally_self() + 1, "deadlock: the thread locks a spin lock that it holds already");
  __dally_await(lock->__owner == 0, "spin lock ", lock, lock->__owner);
  lock->__owner = __dally_self() + 1;
  return 0;
}
int pthread_spin_trylock(pthread_spinlock_t *lock) {
  if (lock->__owner != 0) return 16;
  lock->__owner = __dally_self() + 1;
  return 0;
}
int pthread_spin_unlock(pthread_spinlock_t *lock) {
  __dally_check(lock->__owner != 0, "pthread_spin_unlock: the spin lock is not locked");
  __dally_check(lock->__owner == __dally_self() + 1, "pthread_spin_unlock: the spin lock is held by another thread");
  lock->__owner = 0;
  return 0;
}
