/* The arguments of `...` are in one object, each in a multiple of 8 bytes. A list has the address of the next one, and the number of
   bytes that are left. */
void __dally_va_start(__builtin_va_list list, void *arguments) {
  list->__next = arguments;
  list->__left = arguments == 0 ? 0 : __dally_object_size(arguments);
  list->__state = 1;
}
void *__dally_va_arg(__builtin_va_list list, size_t size) {
  __dally_check(list->__state == 1, "va_arg: the list was not started by va_start or va_copy, or va_end has ended it");
  __dally_check(list->__left > 0, "va_arg: the call has no further argument");
  char *argument = list->__next;
  size_t slot = (size + 7) / 8 * 8;
  __dally_check(list->__left >= slot, "va_arg: the type is larger than the argument");
  list->__next = argument + slot;
  list->__left -= slot;
  return argument;
}
void __dally_va_copy(__builtin_va_list to, __builtin_va_list from) {
  __dally_check(from->__state == 1, "va_copy: the list was not started by va_start or va_copy, or va_end has ended it");
  to->__next = from->__next;
  to->__left = from->__left;
  to->__state = 1;
}
void __dally_va_end(__builtin_va_list list) {
  __dally_check(list->__state == 1, "va_end: the list was not started by va_start or va_copy, or va_end has ended it");
  list->__state = 2;
}

/* Formats that are known only at run time: of `vprintf` and the like, and those that are not literals. */
static int __dally_is_digit(char c) { return c >= '0' && c <= '9'; }

size_t __dally_format(char *s, size_t n, const char *format, __builtin_va_list list) {
  size_t at = 0;
  for (long i = 0; format[i] != 0; i++) {
    if (format[i] != '%' || format[i + 1] == '%') {
      if (at < n) s[at] = format[i];
      at++;
      if (format[i] == '%') i++;
      continue;
    }
    i++;
    int flags = 0;
    for (;; i++) {
      if (format[i] == '-') flags = flags | 1;
      else if (format[i] == '+') flags = flags | 2;
      else if (format[i] == ' ') flags = flags | 4;
      else if (format[i] == '#') flags = flags | 8;
      else if (format[i] == '0') flags = flags | 16;
      else break;
    }
    long width = 0;
    long precision = -1;
    if (format[i] == '*') { width = __builtin_va_arg(list, int); i++; }
    else for (; __dally_is_digit(format[i]); i++) width = width * 10 + (format[i] - '0');
    if (format[i] == '.') {
      i++;
      precision = 0;
      if (format[i] == '*') { precision = __builtin_va_arg(list, int); i++; }
      else for (; __dally_is_digit(format[i]); i++) precision = precision * 10 + (format[i] - '0');
    }
    /* 0 int, 1 short, 2 char, 3 long, 4 long long. */
    int length = 0;
    for (;; i++) {
      if (format[i] == 'h') length = length == 1 ? 2 : 1;
      else if (format[i] == 'l') length = length == 3 ? 4 : 3;
      else if (format[i] == 'z' || format[i] == 't') length = 3;
      else if (format[i] == 'j' || format[i] == 'q' || format[i] == 'L') length = 4;
      else break;
    }
    char letter = format[i];
    if (letter == 'd' || letter == 'i') {
      long long value = 0;
      if (length == 4) value = __builtin_va_arg(list, long long);
      else if (length == 3) value = __builtin_va_arg(list, long);
      else value = __builtin_va_arg(list, int);
      if (length == 1) value = (short)value;
      if (length == 2) value = (signed char)value;
      at = __dally_put_signed(s, n, at, value, flags, width, precision);
    } else if (letter == 'u' || letter == 'x' || letter == 'X' || letter == 'o') {
      unsigned long long value = 0;
      if (length == 4) value = __builtin_va_arg(list, unsigned long long);
      else if (length == 3) value = __builtin_va_arg(list, unsigned long);
      else value = __builtin_va_arg(list, unsigned);
      if (length == 1) value = (unsigned short)value;
      if (length == 2) value = (unsigned char)value;
      if (letter == 'X') flags = flags | 32;
      int base = letter == 'u' ? 10 : letter == 'o' ? 8 : 16;
      at = __dally_put_digits(s, n, at, value, 0, base, flags, width, precision);
    } else if (letter == 'c' && length == 0) {
      at = __dally_put_char(s, n, at, __builtin_va_arg(list, int), flags, width);
    } else if (letter == 's' && length == 0) {
      at = __dally_put_text(s, n, at, __builtin_va_arg(list, char *), flags, width, precision);
    } else if (letter == 'n' && length == 0) {
      int *target = __builtin_va_arg(list, int *);
      *target = at;
    } else {
      __dally_unsupported("a conversion of a format that is not a literal");
    }
  }
  return at;
}

int vprintf(const char *format, __builtin_va_list list) {
  int length = __dally_format(0, 0, format, list);
  __dally_print("%s", format);
  return length;
}
int vfprintf(FILE *file, const char *format, __builtin_va_list list) {
  __dally_stream(file);
  return vprintf(format, list);
}
int vdprintf(int file, const char *format, __builtin_va_list list) { return vprintf(format, list); }
void vsyslog(int priority, const char *format, __builtin_va_list list) { vprintf(format, list); }
int vsnprintf(char *s, size_t n, const char *format, __builtin_va_list list) {
  size_t at = __dally_format(s, __dally_room(n), format, list);
  return __dally_end_text(s, n, at);
}
int vsprintf(char *s, const char *format, __builtin_va_list list) { return vsnprintf(s, 4294967295, format, list); }

int __dally_print_format(const char *format, ...) {
  __builtin_va_list list;
  __builtin_va_start(list, format);
  return vprintf(format, list);
}
int __dally_put_format(char *s, size_t n, const char *format, ...) {
  __builtin_va_list list;
  __builtin_va_start(list, format);
  return vsnprintf(s, n, format, list);
}
