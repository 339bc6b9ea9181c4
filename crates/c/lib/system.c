/* Time, sleep, and the system. Time does not pass: to sleep is to let other threads run. */
unsigned sleep(unsigned seconds) { __dally_cancellation_point(); __dally_yield(); __dally_cancellation_point(); return 0; }
int usleep(useconds_t micros) { __dally_cancellation_point(); __dally_yield(); __dally_cancellation_point(); return 0; }
int nanosleep(const struct timespec *duration, struct timespec *left) {
  __dally_cancellation_point();
  __dally_yield();
  __dally_cancellation_point();
  return 0;
}
int clock_nanosleep(clockid_t clock, int flags, const struct timespec *until, struct timespec *left) {
  __dally_cancellation_point();
  __dally_yield();
  __dally_cancellation_point();
  return 0;
}
int poll(void *files, unsigned long count, int timeout) {
  __dally_cancellation_point();
  __dally_yield();
  __dally_cancellation_point();
  return 0;
}
int pause(void) {
  __dally_await(__dally_is_cancelled(), "a signal");
  __dally_cancellation_point();
  return -1;
}

time_t time(time_t *result) {
  time_t now = __dally_nondet(time_t);
  __dally_restrict(now >= 0);
  if (result) *result = now;
  return now;
}
clock_t clock(void) { clock_t now = __dally_nondet(clock_t); __dally_restrict(now >= 0); return now; }
int gettimeofday(struct timeval *now, void *zone) {
  now->tv_sec = __dally_nondet(long);
  now->tv_usec = __dally_nondet(long);
  return 0;
}
int clock_gettime(clockid_t clock, struct timespec *now) {
  now->tv_sec = __dally_nondet(long);
  now->tv_nsec = __dally_nondet(long);
  return 0;
}
int timespec_get(struct timespec *now, int base) {
  now->tv_sec = __dally_nondet(long);
  now->tv_nsec = __dally_nondet(long);
  return base;
}

pid_t getpid(void) { return 1000; }
pid_t getppid(void) { return 1; }
uid_t getuid(void) { return 1000; }
int getpagesize(void) { return 4096; }
long sysconf(int name) { return name == 30 ? 4096 : 2; }
pid_t fork(void) { __dally_unsupported("fork"); return 0; }
pid_t wait(int *status) { __dally_unsupported("wait"); return 0; }
pid_t waitpid(pid_t pid, int *status, int options) { __dally_unsupported("waitpid"); return 0; }
long write(int file, const void *p, size_t n) { __dally_access(p, n); return n; }
long read(int file, void *p, size_t n) { __dally_unsupported("read"); return 0; }
int open(const char *name, int flags, ...) { __dally_unsupported("open"); return 0; }
int close(int file) { return 0; }
int isatty(int file) { return 0; }
sighandler_t signal(int number, sighandler_t handler) {
  if (handler != 0 && handler != (sighandler_t)1) __dally_unsupported("signal handlers");
  return 0;
}
int sigaction(int number, const struct sigaction *action, struct sigaction *old) {
  if (action != 0 && action->sa_handler != 0 && action->sa_handler != (sighandler_t)1) __dally_unsupported("signal handlers");
  if (old != 0) { old->sa_handler = 0; old->sa_flags = 0; }
  return 0;
}
int sigdelset(sigset_t *set, int number) { return 0; }
int sigismember(const sigset_t *set, int number) { __dally_unsupported("sigismember"); return 0; }
int sigsuspend(const sigset_t *set) { __dally_unsupported("sigsuspend"); return -1; }
int sigwait(const sigset_t *set, int *number) { __dally_unsupported("sigwait"); return 0; }
unsigned alarm(unsigned seconds) { __dally_unsupported("alarm"); return 0; }
int raise(int number) { __dally_unsupported("raise"); return 0; }
int kill(pid_t pid, int number) { __dally_unsupported("kill"); return 0; }
int sigemptyset(sigset_t *set) { return 0; }
int sigfillset(sigset_t *set) { return 0; }
int sigaddset(sigset_t *set, int number) { return 0; }
int pthread_sigmask(int how, const sigset_t *set, sigset_t *old) { return 0; }
int sigprocmask(int how, const sigset_t *set, sigset_t *old) { return 0; }
int setjmp(jmp_buf state) { __dally_unsupported("setjmp"); return 0; }
int _setjmp(jmp_buf state) { __dally_unsupported("setjmp"); return 0; }
void longjmp(jmp_buf state, int value) { __dally_unsupported("longjmp"); }
int *__errno_location(void) { return &errno; }
/* Options, locales, and memory that is not on the heap. The program gets no options. */
char *optarg;
int optind = 1;
int opterr = 1;
int optopt;
struct option { const char *name; int has_arg; int *flag; int val; };
int getopt(int argc, char *const *argv, const char *options) { __dally_read_string(options, -1); return -1; }
int getopt_long(int argc, char *const *argv, const char *options, const struct option *longer, int *index) {
  __dally_read_string(options, -1);
  return -1;
}
char *setlocale(int category, const char *locale) { if (locale) __dally_read_string(locale, -1); return "C"; }
void *mmap(void *address, size_t size, int protection, int flags, int file, off_t offset) {
  if (!(flags & 32)) __dally_unsupported("mmap of a file");
  if (address != 0 && flags & 16) __dally_unsupported("mmap at a fixed address");
  if (size == 0 || size > 2147483647) return (void *)-1;
  return __dally_allocate(size, 1);
}
int munmap(void *address, size_t size) {
  if (__dally_object_size(address) != size) __dally_unsupported("munmap of a part");
  __dally_release(address);
  return 0;
}
int mprotect(void *address, size_t size, int protection) {
  if (protection % 4 != 3) __dally_unsupported("mprotect that takes rights away");
  return 0;
}
int msync(void *address, size_t size, int flags) { return 0; }
int madvise(void *address, size_t size, int advice) { return 0; }
