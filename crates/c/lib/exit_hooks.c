/* The end of the program: functions of atexit run, the last one first, and then destructors, which are registered
   before main. */
static void (*__dally_end_functions[64])(void);
static int __dally_end_count;
int __dally_at_end(void (*f)(void)) {
  if (__dally_end_count == 64) return 1;
  __dally_end_functions[__dally_end_count++] = f;
  return 0;
}
int atexit(void (*f)(void)) { return __dally_at_end(f); }
void __dally_program_end(void) {
  while (__dally_end_count > 0) __dally_end_functions[--__dally_end_count]();
}
void exit(int status) {
  __dally_program_end();
  __dally_exit_program();
}
