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
int puts(const char *s) { __dally_print("%s\n", s); return 0; }
int fputs(const char *s, FILE *file) { __dally_print("%s", s); return 0; }
int putchar(int c) { __dally_print("%c", c); return c; }
int putc(int c, FILE *file) { __dally_print("%c", c); return c; }
int fputc(int c, FILE *file) { __dally_print("%c", c); return c; }
void perror(const char *s) { __dally_print("%s: error\n", s); }
int fflush(FILE *file) { return 0; }
int setvbuf(FILE *file, char *buffer, int mode, size_t size) { return 0; }
void setbuf(FILE *file, char *buffer) { }
int getchar(void) { int c = __dally_nondet(int); __dally_restrict(c >= -1 && c <= 255); return c; }
int getc(FILE *file) { int c = __dally_nondet(int); __dally_restrict(c >= -1 && c <= 255); return c; }
int fgetc(FILE *file) { int c = __dally_nondet(int); __dally_restrict(c >= -1 && c <= 255); return c; }
int scanf(const char *format, ...) { __dally_unsupported("scanf"); return 0; }
int fscanf(FILE *file, const char *format, ...) { __dally_unsupported("fscanf"); return 0; }
int sscanf(const char *s, const char *format, ...) { __dally_unsupported("sscanf"); return 0; }
int sprintf(char *s, const char *format, ...) { __dally_unsupported("sprintf"); return 0; }
int snprintf(char *s, size_t n, const char *format, ...) { __dally_unsupported("snprintf"); return 0; }
char *fgets(char *s, int n, FILE *file) { __dally_unsupported("fgets"); return 0; }
FILE *fopen(const char *name, const char *mode) { __dally_unsupported("fopen"); return 0; }
int fclose(FILE *file) { return 0; }
int feof(FILE *file) { return 1; }
int ferror(FILE *file) { return 0; }
size_t fread(void *p, size_t size, size_t count, FILE *file) { __dally_unsupported("fread"); return 0; }
size_t fwrite(const void *p, size_t size, size_t count, FILE *file) { return count; }
