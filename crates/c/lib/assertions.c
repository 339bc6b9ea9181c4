/* Assertions that the preprocessor of another system has expanded, and what verifiers have in common. */
void __assert_fail(const char *expression, const char *file, unsigned line, const char *function) {
  __dally_fail("assertion failed: ", expression);
}
void __assert(const char *expression, const char *file, int line) { __dally_fail("assertion failed: ", expression); }
void __assert_rtn(const char *function, const char *file, int line, const char *expression) {
  __dally_fail("assertion failed: ", expression);
}
void __assert_perror_fail(int error, const char *file, unsigned line, const char *function) {
  __dally_fail("assertion failed: assert_perror");
}
void assert(_Bool condition) { __dally_check(condition, "assertion failed"); }
void reach_error(void) { __dally_fail("reach_error() is called"); }
void __VERIFIER_error(void) { __dally_fail("__VERIFIER_error() is called"); }
void __VERIFIER_assert(int condition) { __dally_check(condition, "assertion failed"); }
void __VERIFIER_assume(int condition) { __dally_assume(condition); }
void assume_abort_if_not(int condition) { __dally_assume(condition); }
void __VERIFIER_atomic_begin(void) { __dally_atomic_begin(); }
void __VERIFIER_atomic_end(void) { __dally_atomic_end(); }
void __VERIFIER_silent_exit(void) { __dally_assume(0); }

void __CPROVER_assume(_Bool condition) { __dally_assume(condition); }
void __CPROVER_assert(_Bool condition, const char *message) { __dally_check(condition, "assertion failed: ", message); }
void __CPROVER_precondition(_Bool condition, const char *message) { __dally_check(condition, "assertion failed: ", message); }
void __CPROVER_atomic_begin(void) { __dally_atomic_begin(); }
void __CPROVER_atomic_end(void) { __dally_atomic_end(); }
void __CPROVER_fence(const char *kind, ...) { }
void __CPROVER_cover(_Bool condition) { }
void __CPROVER_input(const char *name, ...) { }
void __CPROVER_output(const char *name, ...) { }

void __ESBMC_assume(_Bool condition) { __dally_assume(condition); }
void __ESBMC_assert(_Bool condition, const char *message) { __dally_check(condition, "assertion failed: ", message); }
void __ESBMC_atomic_begin(void) { __dally_atomic_begin(); }
void __ESBMC_atomic_end(void) { __dally_atomic_end(); }
void __ESBMC_yield(void) { __dally_yield(); }
void __ESBMC_really_atomic_begin(void) { __dally_atomic_begin(); }
void __ESBMC_really_atomic_end(void) { __dally_atomic_end(); }
