/* Numbers, sorting, random numbers, and the end of the program. */
static void __dally_negates(long long x, int bits) {
  if (__dally_overflow) __dally_check(x != -(1ll << (bits - 2)) * 2, "signed integer overflow");
}
int abs(int x) { __dally_negates(x, 32); return x < 0 ? -x : x; }
long labs(long x) { __dally_negates(x, 8 * sizeof(long)); return x < 0 ? -x : x; }
long long llabs(long long x) { __dally_negates(x, 64); return x < 0 ? -x : x; }
intmax_t imaxabs(intmax_t x) { return llabs(x); }
div_t div(int a, int b) { div_t r; r.quot = a / b; r.rem = a % b; return r; }
ldiv_t ldiv(long a, long b) { ldiv_t r; r.quot = a / b; r.rem = a % b; return r; }
lldiv_t lldiv(long long a, long long b) { lldiv_t r; r.quot = a / b; r.rem = a % b; return r; }

/* The number at the start of a string without its sign, and the largest one if it is larger than that. */
static unsigned long long __dally_number(const char *s, char **end, int base, int *negative, int *beyond) {
  size_t i = 0;
  int digits = 0;
  unsigned long long value = 0;
  *negative = 0;
  *beyond = 0;
  if (base < 0 || base == 1 || base > 36) {
    errno = 22;
    if (end) *end = (char *)s;
    return 0;
  }
  while (s[i] == ' ' || (s[i] >= 9 && s[i] <= 13)) i++;
  if (s[i] == '-') { *negative = 1; i++; } else if (s[i] == '+') i++;
  if ((base == 0 || base == 16) && s[i] == '0' && (s[i + 1] == 'x' || s[i + 1] == 'X') && __dally_digit(s[i + 2], 16) >= 0) {
    base = 16;
    i += 2;
  }
  if (base == 0) base = s[i] == '0' ? 8 : 10;
  for (;;) {
    int digit = __dally_digit(s[i], base);
    if (digit < 0) break;
    if (value > (18446744073709551615ull - digit) / base) *beyond = 1;
    else value = value * base + digit;
    digits++;
    i++;
  }
  if (end) *end = (char *)(digits > 0 ? s + i : s);
  return value;
}
/* Numbers beyond the range of the type become the nearest one. */
static long long __dally_signed(const char *s, char **end, int base, long long most) {
  int negative;
  int beyond;
  unsigned long long value = __dally_number(s, end, base, &negative, &beyond);
  if (beyond || value > (unsigned long long)most + negative) {
    errno = 34;
    return negative ? -most - 1 : most;
  }
  return negative ? -value : value;
}
static unsigned long long __dally_unsigned(const char *s, char **end, int base, unsigned long long most) {
  int negative;
  int beyond;
  unsigned long long value = __dally_number(s, end, base, &negative, &beyond);
  if (beyond || value > most) {
    errno = 34;
    return most;
  }
  return negative ? -value : value;
}
long long strtoll(const char *s, char **end, int base) { return __dally_signed(s, end, base, 9223372036854775807ll); }
long strtol(const char *s, char **end, int base) { return __dally_signed(s, end, base, (unsigned long)-1 / 2); }
unsigned long strtoul(const char *s, char **end, int base) { return __dally_unsigned(s, end, base, (unsigned long)-1); }
unsigned long long strtoull(const char *s, char **end, int base) {
  return __dally_unsigned(s, end, base, 18446744073709551615ull);
}
int atoi(const char *s) { return strtol(s, 0, 10); }
long atol(const char *s) { return strtol(s, 0, 10); }
long long atoll(const char *s) { return strtoll(s, 0, 10); }

int rand(void) { int r = __dally_nondet(int); __dally_restrict(r >= 0); return r; }
int rand_r(unsigned *seed) { unsigned s = *seed; *seed = s; int r = __dally_nondet(int); __dally_restrict(r >= 0); return r; }
long random(void) { int r = __dally_nondet(int); __dally_restrict(r >= 0); return r; }
long lrand48(void) { int r = __dally_nondet(int); __dally_restrict(r >= 0); return r; }
void srand(unsigned seed) { }
void srandom(unsigned seed) { }
void srand48(long seed) { }

void qsort(void *base, size_t count, size_t size, int (*compare)(const void *, const void *)) {
  char *a = base;
  char *temporary = __dally_allocate(size, 0);
  for (size_t i = 1; i < count; i++)
    for (size_t j = i; j > 0 && compare(a + (j - 1) * size, a + j * size) > 0; j--) {
      __dally_copy(temporary, a + j * size, size);
      __dally_copy(a + j * size, a + (j - 1) * size, size);
      __dally_copy(a + (j - 1) * size, temporary, size);
    }
  __dally_release(temporary);
}

void *bsearch(const void *key, const void *base, size_t count, size_t size, int (*compare)(const void *, const void *)) {
  size_t low = 0;
  size_t high = count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    int order = compare(key, (const char *)base + middle * size);
    if (order == 0) return (void *)((const char *)base + middle * size);
    if (order < 0) high = middle; else low = middle + 1;
  }
  return 0;
}

void _exit(int status) { __dally_exit_program(); }
void _Exit(int status) { __dally_exit_program(); }
void quick_exit(int status) { __dally_exit_program(); }

char *getenv(const char *name) { __dally_read_string(name, -1); return 0; }
int setenv(const char *name, const char *value, int overwrite) {
  __dally_read_string(name, -1);
  __dally_read_string(value, -1);
  return 0;
}
int system(const char *command) { __dally_unsupported("system"); return 0; }
double atof(const char *s) { __dally_unsupported("floating-point numbers"); return 0; }
double strtod(const char *s, char **end) { __dally_unsupported("floating-point numbers"); return 0; }
double drand48(void) { __dally_unsupported("floating-point numbers"); return 0; }
