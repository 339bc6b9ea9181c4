/* Semaphores of POSIX, without names. */
typedef struct { int __value; int __state; } sem_t;

int sem_init(sem_t *s, int shared, unsigned value) {
  if (value > 2147483647) { errno = 22; return -1; }
  s->__value = value;
  s->__state = 1;
  return 0;
}

int sem_destroy(sem_t *s) {
  __dally_check(s->__state == 1, "sem_destroy: the semaphore is not initialised");
  s->__state = 2;
  return 0;
}

int sem_wait(sem_t *s) {
  __dally_check(s->__state == 1, "sem_wait: the semaphore is not initialised");
  __dally_cancellation_point();
  __dally_await(s->__value > 0 || __dally_is_cancelled(), "semaphore ", s);
  __dally_cancellation_point();
  s->__value--;
  return 0;
}

int sem_trywait(sem_t *s) {
  __dally_check(s->__state == 1, "sem_trywait: the semaphore is not initialised");
  if (s->__value == 0) { errno = 11; return -1; }
  s->__value--;
  return 0;
}

int sem_timedwait(sem_t *s, const struct timespec *until) {
  __dally_check(s->__state == 1, "sem_timedwait: the semaphore is not initialised");
  if (s->__value == 0) __dally_yield();
  if (s->__value == 0) { errno = 110; return -1; }
  s->__value--;
  return 0;
}

int sem_post(sem_t *s) {
  __dally_check(s->__state == 1, "sem_post: the semaphore is not initialised");
  if (s->__value == 2147483647) { errno = 75; return -1; }
  s->__value++;
  return 0;
}

int sem_getvalue(sem_t *s, int *value) {
  __dally_check(s->__state == 1, "sem_getvalue: the semaphore is not initialised");
  *value = s->__value;
  return 0;
}
