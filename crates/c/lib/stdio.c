/* Output is evaluated for traces; input is not modelled. */
static FILE __dally_stdin;
static FILE __dally_stdout;
static FILE __dally_stderr;
FILE *stdin = &__dally_stdin;
FILE *stdout = &__dally_stdout;
FILE *stderr = &__dally_stderr;

int printf(const char *format, ...);
int fprintf(FILE *file, const char *format, ...);
int dprintf(int file, const char *format, ...);
void syslog(int priority, const char *format, ...);
int sprintf(char *s, const char *format, ...);
int snprintf(char *s, size_t n, const char *format, ...);
int scanf(const char *format, ...);
int fscanf(FILE *file, const char *format, ...);
int sscanf(const char *s, const char *format, ...);
int puts(const char *s) { __dally_print("%s\n", s); return 0; }
int fputs(const char *s, FILE *file) { __dally_stream(file); __dally_print("%s", s); return 0; }
int putchar(int c) { __dally_print("%c", c); return (unsigned char)c; }
int putc(int c, FILE *file) { __dally_stream(file); __dally_print("%c", c); return (unsigned char)c; }
int fputc(int c, FILE *file) { __dally_stream(file); __dally_print("%c", c); return (unsigned char)c; }
void perror(const char *s) { if (s != 0) __dally_print("%s: error\n", s); else __dally_print("error\n"); }
int fflush(FILE *file) { return 0; }
int setvbuf(FILE *file, char *buffer, int mode, size_t size) { __dally_stream(file); return 0; }
void setbuf(FILE *file, char *buffer) { __dally_stream(file); }
int getchar(void) { int c = __dally_nondet(int); __dally_restrict(c >= -1 && c <= 255); return c; }
int getc(FILE *file) { __dally_stream(file); return getchar(); }
int fgetc(FILE *file) { __dally_stream(file); return getchar(); }
int ungetc(int c, FILE *file) { __dally_unsupported("ungetc"); return c; }
/* A line of the input has one character before its end, or two. */
char *fgets(char *s, int n, FILE *file) {
  __dally_stream(file);
  if (n <= 0) return 0;
  __dally_access(s, n);
  int length = __dally_choose(3);
  if (length == 0 && n > 1) return 0;
  if (length >= n) length = n - 1;
  for (int i = 0; i < length; i++) s[i] = __dally_nondet(char);
  s[length] = 0;
  return s;
}
char *gets(char *s) { __dally_fail("gets: the input may be longer than the array"); return s; }
FILE *fopen(const char *name, const char *mode) {
  __dally_read_string(name, -1);
  __dally_read_string(mode, -1);
  __dally_unsupported("fopen");
  return 0;
}
int fclose(FILE *file) { __dally_stream(file); return 0; }
int feof(FILE *file) { __dally_stream(file); return 1; }
int ferror(FILE *file) { __dally_stream(file); return 0; }
int fileno(FILE *file) { __dally_stream(file); return file == stdin ? 0 : file == stdout ? 1 : 2; }
size_t fread(void *p, size_t size, size_t count, FILE *file) { __dally_unsupported("fread"); return 0; }
size_t fwrite(const void *p, size_t size, size_t count, FILE *file) {
  __dally_stream(file);
  __dally_access(p, size * count);
  return count;
}
