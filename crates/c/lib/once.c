/* One-time initialisation: 0 = not yet, 1 = the routine runs, 2 = done. */
typedef int pthread_once_t;
typedef unsigned pthread_key_t;

int pthread_once(pthread_once_t *once, void (*routine)(void)) {
  if (*once == 0) {
    *once = 1;
    routine();
    *once = 2;
  } else {
    __dally_await(*once == 2, "one-time initialisation ", once);
  }
  return 0;
}

/* Thread-specific values, by key. */
static __thread void *__dally_specific[32];
static void (*__dally_destructors[32])(void *);
static unsigned __dally_keys;

int pthread_key_create(pthread_key_t *key, void (*destructor)(void *)) {
  if (__dally_keys == 32) return 11;
  __dally_destructors[__dally_keys] = destructor;
  *key = __dally_keys++;
  return 0;
}

int pthread_key_delete(pthread_key_t key) {
  if (key >= __dally_keys) return 22;
  __dally_destructors[key] = 0;
  return 0;
}

int pthread_setspecific(pthread_key_t key, const void *value) {
  if (key >= __dally_keys) return 22;
  __dally_specific[key] = (void *)value;
  return 0;
}

void *pthread_getspecific(pthread_key_t key) {
  if (key >= __dally_keys) return 0;
  return __dally_specific[key];
}
