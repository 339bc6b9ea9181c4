/* Read-write locks. Which threads read is not recorded, only how many. */
typedef struct { int __writer; int __readers; } pthread_rwlock_t;
typedef struct { int __kind; } pthread_rwlockattr_t;

int pthread_rwlock_init(pthread_rwlock_t *l, const pthread_rwlockattr_t *attr) {
  l->__writer = 0;
  l->__readers = 0;
  return 0;
}

int pthread_rwlock_destroy(pthread_rwlock_t *l) {
  __dally_check(l->__writer != -1, "pthread_rwlock_destroy: the lock has been destroyed already");
  __dally_check(l->__writer == 0 && l->__readers == 0, "pthread_rwlock_destroy: the lock is held");
  l->__writer = -1;
  return 0;
}

int pthread_rwlock_rdlock(pthread_rwlock_t *l) {
  __dally_check(l->__writer != -1, "pthread_rwlock_rdlock: the lock has been destroyed");
  __dally_check(l->__writer != __dally_self() + 1, "deadlock: the thread locks for reading what it has locked for writing");
  __dally_await(l->__writer == 0, "read-write lock ", l, l->__writer);
  l->__readers++;
  return 0;
}

int pthread_rwlock_tryrdlock(pthread_rwlock_t *l) {
  __dally_check(l->__writer != -1, "pthread_rwlock_tryrdlock: the lock has been destroyed");
  if (l->__writer != 0) return 16;
  l->__readers++;
  return 0;
}

int pthread_rwlock_timedrdlock(pthread_rwlock_t *l, const struct timespec *until) {
  if (l->__writer != 0) __dally_yield();
  if (l->__writer != 0) return 110;
  l->__readers++;
  return 0;
}

int pthread_rwlock_wrlock(pthread_rwlock_t *l) {
  __dally_check(l->__writer != -1, "pthread_rwlock_wrlock: the lock has been destroyed");
  __dally_check(l->__writer != __dally_self() + 1, "deadlock: the thread locks for writing what it has locked already");
  __dally_await(l->__writer == 0 && l->__readers == 0, "read-write lock ", l, l->__writer);
  l->__writer = __dally_self() + 1;
  return 0;
}

int pthread_rwlock_trywrlock(pthread_rwlock_t *l) {
  __dally_check(l->__writer != -1, "pthread_rwlock_trywrlock: the lock has been destroyed");
  if (l->__writer != 0 || l->__readers != 0) return 16;
  l->__writer = __dally_self() + 1;
  return 0;
}

int pthread_rwlock_timedwrlock(pthread_rwlock_t *l, const struct timespec *until) {
  if (l->__writer != 0 || l->__readers != 0) __dally_yield();
  if (l->__writer != 0 || l->__readers != 0) return 110;
  l->__writer = __dally_self() + 1;
  return 0;
}

int pthread_rwlock_unlock(pthread_rwlock_t *l) {
  __dally_check(l->__writer != -1, "pthread_rwlock_unlock: the lock has been destroyed");
  if (l->__writer == __dally_self() + 1) { l->__writer = 0; return 0; }
  __dally_check(l->__writer == 0, "pthread_rwlock_unlock: the lock is held by another thread");
  __dally_check(l->__readers > 0, "pthread_rwlock_unlock: the lock is not held");
  l->__readers--;
  return 0;
}

int pthread_rwlockattr_init(pthread_rwlockattr_t *attr) { return 0; }
int pthread_rwlockattr_destroy(pthread_rwlockattr_t *attr) { return 0; }
int pthread_rwlockattr_setkind_np(pthread_rwlockattr_t *attr, int kind) { return 0; }
int pthread_rwlockattr_setpshared(pthread_rwlockattr_t *attr, int shared) { return 0; }
