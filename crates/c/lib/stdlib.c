/* Numbers, sorting, random numbers, and the end of the program. */
int abs(int x) { return x < 0 ? -x : x; }
long labs(long x) { return x < 0 ? -x : x; }
long long llabs(long long x) { return x < 0 ? -x : x; }
intmax_t imaxabs(intmax_t x) { return x < 0 ? -x : x; }
div_t div(int a, int b) { div_t r; r.quot = a / b; r.rem = a % b; return r; }
ldiv_t ldiv(long a, long b) { ldiv_t r; r.quot = a / b; r.rem = a % b; return r; }
lldiv_t lldiv(long long a, long long b) { lldiv_t r; r.quot = a / b; r.rem = a % b; return r; }

long long strtoll(const char *s, char **end, int base) {
  size_t i = 0;
  int negative = 0;
  int digits = 0;
  long long value = 0;
  while (s[i] == ' ' || (s[i] >= 9 && s[i] <= 13)) i++;
  if (s[i] == '-') { negative = 1; i++; } else if (s[i] == '+') i++;
  if ((base == 0 || base == 16) && s[i] == '0' && (s[i + 1] == 'x' || s[i + 1] == 'X')) { base = 16; i += 2; }
  if (base == 0) base = s[i] == '0' ? 8 : 10;
  for (;;) {
    int digit = 99;
    if (s[i] >= '0' && s[i] <= '9') digit = s[i] - '0';
    else if (s[i] >= 'a' && s[i] <= 'z') digit = s[i] - 'a' + 10;
    else if (s[i] >= 'A' && s[i] <= 'Z') digit = s[i] - 'A' + 10;
    if (digit >= base) break;
    value = value * base + digit;
    digits++;
    i++;
  }
  if (end) *end = (char *)(digits > 0 ? s + i : s);
  return negative ? -value : value;
}
long strtol(const char *s, char **end, int base) { return strtoll(s, end, base); }
unsigned long strtoul(const char *s, char **end, int base) { return strtoll(s, end, base); }
unsigned long long strtoull(const char *s, char **end, int base) { return strtoll(s, end, base); }
int atoi(const char *s) { return strtoll(s, 0, 10); }
long atol(const char *s) { return strtoll(s, 0, 10); }
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
