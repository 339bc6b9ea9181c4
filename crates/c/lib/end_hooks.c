/* The end of a thread: cleanup handlers run if it does not return, and then the destructors of keys. */
static __thread void (*__dally_cleanup[16])(void *);
static __thread void *__dally_cleanup_argument[16];
static __thread int __dally_cleanups;

void __dally_cleanup_push(void (*routine)(void *), void *argument) {
  __dally_cleanup[__dally_cleanups] = routine;
  __dally_cleanup_argument[__dally_cleanups] = argument;
  __dally_cleanups++;
}

void __dally_cleanup_pop(int execute) {
  __dally_cleanups--;
  if (execute) __dally_cleanup[__dally_cleanups](__dally_cleanup_argument[__dally_cleanups]);
}

void __dally_thread_end(void) {
  for (unsigned key = 0; key < __dally_keys; key++) {
    void *value = __dally_specific[key];
    __dally_specific[key] = 0;
    if (value != 0 && __dally_destructors[key] != 0) __dally_destructors[key](value);
  }
}

void pthread_exit(void *result) {
  while (__dally_cleanups > 0) {
    __dally_cleanups--;
    __dally_cleanup[__dally_cleanups](__dally_cleanup_argument[__dally_cleanups]);
  }
  __dally_thread_end();
  __dally_exit_thread(result);
}
