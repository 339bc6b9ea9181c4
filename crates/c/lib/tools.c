/* What smack.h, genmc.h and nidhugg offer besides assertions and arbitrary values. */
void __SMACK_code(const char *format, ...) { __dally_unsupported("Boogie code in C (__SMACK_code)"); }
/* The length of CBMC's unbounded arrays, as far as programs use them. */
enum { __CPROVER_constant_infinity_uint = 65536 };

void __SMACK_mod(const char *format, ...) { }
void __SMACK_decl(const char *format, ...) { }
void __SMACK_top_decl(const char *format, ...) { }
void __SMACK_dummy(int v) { }
void __SMACK_check_overflow(int flag) { __dally_check(!flag, "signed overflow"); }

typedef unsigned long __VERIFIER_thread_t;
typedef struct { void *__protected; } __VERIFIER_hp_t;
__VERIFIER_thread_t __VERIFIER_spawn(void *(*start)(void *), void *argument) {
  return __dally_spawn(start, argument) + 1;
}
__VERIFIER_thread_t __VERIFIER_spawn_symmetric(void *(*start)(void *), void *argument, __VERIFIER_thread_t other) {
  return __dally_spawn(start, argument) + 1;
}
void *__VERIFIER_join(__VERIFIER_thread_t thread) {
  __dally_check(thread > 0 && thread <= __dally_threads(), "__VERIFIER_join: this is not a thread");
  __dally_await(__dally_ended(thread - 1), "the end of a thread");
  return (void *)__dally_result(thread - 1);
}
void __VERIFIER_join_symmetric(__VERIFIER_thread_t thread) { __VERIFIER_join(thread); }
__VERIFIER_hp_t *__VERIFIER_hp_alloc(void) { __dally_unsupported("hazard pointers"); return 0; }
void *__VERIFIER_hp_protect(__VERIFIER_hp_t *hp, void *p) { __dally_unsupported("hazard pointers"); return 0; }
void __VERIFIER_hp_clear(__VERIFIER_hp_t *hp) { __dally_unsupported("hazard pointers"); }
void __VERIFIER_hp_free(__VERIFIER_hp_t *hp) { __dally_unsupported("hazard pointers"); }
void __VERIFIER_hp_retire(void *p) { __dally_unsupported("hazard pointers"); }
void __VERIFIER_loop_begin(void) { }
void __VERIFIER_spin_start(void) { }
void __VERIFIER_spin_end(_Bool condition) { __dally_assume(condition); }
int __VERIFIER_opt_begin(void) { return 0; }
void __VERIFIER_pbarrier(void) { __dally_unsupported("persistent memory"); }

/* Awaits of nidhugg: executions in which the condition does not hold are discarded, and never a deadlock.
   A condition is 1 for less, 2 for equal, 4 for greater, or a sum of them. */
static int __dally_meets(long value, int condition, long operand) {
  return (value < operand && condition % 2 == 1) || (value == operand && condition / 2 % 2 == 1) ||
         (value > operand && condition / 4 % 2 == 1);
}
int __VERIFIER_load_await_aint(_Atomic(int) *p, int condition, int operand) {
  __dally_assume(__dally_meets(*p, condition, operand));
  return *p;
}
int __VERIFIER_xchg_await_aint(_Atomic(int) *p, int value, int condition, int operand) {
  __dally_assume(__dally_meets(*p, condition, operand));
  int old = *p;
  *p = value;
  return old;
}

/* Atomic builtins of clang, for `int` only. */
int __sync_fetch_and_max(volatile int *p, int v) { int old = *p; if (v > old) *p = v; return old; }
int __sync_fetch_and_min(volatile int *p, int v) { int old = *p; if (v < old) *p = v; return old; }
unsigned __sync_fetch_and_umax(volatile unsigned *p, unsigned v) { unsigned old = *p; if (v > old) *p = v; return old; }
unsigned __sync_fetch_and_umin(volatile unsigned *p, unsigned v) { unsigned old = *p; if (v < old) *p = v; return old; }
