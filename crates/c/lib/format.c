/* Formatted text. The front end takes literal formats apart, and calls a function for each conversion. A part is
   written from position `at` on and the position after it is returned; characters from `n` on are dropped.
   Flags: 1 left, 2 plus, 4 space, 8 alternate, 16 zero, 32 capital. */
void __dally_stream(FILE *file) { __dally_check(file != 0, "the stream is a null pointer"); }

/* Reads a string to its end, or `limit` characters of it if that is not negative. */
void __dally_read_string(const char *s, long limit) {
  long i = 0;
  while (i != limit && s[i] != 0) i++;
}

size_t __dally_put_text(char *s, size_t n, size_t at, const char *text, int flags, long width, long precision) {
  long length = 0;
  while (length != precision && text[length] != 0) length++;
  if (width < 0) { flags = flags | 1; width = -width; }
  long padding = width > length ? width - length : 0;
  if (flags % 2 == 0)
    for (long i = 0; i < padding; i++) { if (at < n) s[at] = ' '; at++; }
  for (long i = 0; i < length; i++) { if (at < n) s[at] = text[i]; at++; }
  if (flags % 2 == 1)
    for (long i = 0; i < padding; i++) { if (at < n) s[at] = ' '; at++; }
  return at;
}

size_t __dally_put_char(char *s, size_t n, size_t at, int c, int flags, long width) {
  if (width < 0) { flags = flags | 1; width = -width; }
  if (flags % 2 == 0)
    for (long i = 1; i < width; i++) { if (at < n) s[at] = ' '; at++; }
  if (at < n) s[at] = c;
  at++;
  if (flags % 2 == 1)
    for (long i = 1; i < width; i++) { if (at < n) s[at] = ' '; at++; }
  return at;
}

/* `sign` is the character before the number, or 0. */
size_t __dally_put_digits(char *s, size_t n, size_t at, unsigned long long value, int sign, int base, int flags,
                          long width, long precision) {
  char digits[24];
  long count = 0;
  int is_zero = value == 0;
  while (value != 0) {
    int digit = value % base;
    digits[count] = digit < 10 ? '0' + digit : (flags & 32 ? 'A' : 'a') + digit - 10;
    count++;
    value = value / base;
  }
  if (width < 0) { flags = flags | 1; width = -width; }
  long zeros = (precision < 0 ? 1 : precision) - count;
  if (zeros < 0) zeros = 0;
  if (base == 8 && flags & 8 && zeros == 0) zeros = 1;
  int prefix = base == 16 && flags & 8 && !is_zero ? 2 : 0;
  long length = count + zeros + prefix + (sign != 0);
  if (flags & 16 && !(flags & 1) && precision < 0 && width > length) { zeros += width - length; length = width; }
  if (!(flags & 1))
    for (long i = length; i < width; i++) { if (at < n) s[at] = ' '; at++; }
  if (sign != 0) { if (at < n) s[at] = sign; at++; }
  if (prefix != 0) {
    if (at < n) s[at] = '0';
    if (at + 1 < n) s[at + 1] = flags & 32 ? 'X' : 'x';
    at += 2;
  }
  for (long i = 0; i < zeros; i++) { if (at < n) s[at] = '0'; at++; }
  for (long i = count - 1; i >= 0; i--) { if (at < n) s[at] = digits[i]; at++; }
  if (flags & 1)
    for (long i = length; i < width; i++) { if (at < n) s[at] = ' '; at++; }
  return at;
}

size_t __dally_put_signed(char *s, size_t n, size_t at, long long value, int flags, long width, long precision) {
  int sign = value < 0 ? '-' : flags & 2 ? '+' : flags & 4 ? ' ' : 0;
  unsigned long long magnitude = value < 0 ? -(unsigned long long)value : value;
  return __dally_put_digits(s, n, at, magnitude, sign, 10, flags, width, precision);
}

/* The room for characters in an array of `n`. */
size_t __dally_room(size_t n) { return n == 0 ? 0 : n - 1; }

/* Ends the text in an array of `n` characters, and returns its whole length. */
int __dally_end_text(char *s, size_t n, size_t at) {
  if (n > 0) s[at < n ? at : n - 1] = 0;
  return at;
}

/* Input from a string. A position of -1 says that the input did not match. */
long __dally_skip_space(const char *s, long at) {
  if (at < 0) return at;
  while (s[at] == ' ' || (s[at] >= 9 && s[at] <= 13)) at++;
  return at;
}

long __dally_match(const char *s, long at, int c) {
  if (at < 0) return at;
  return s[at] == (char)c ? at + 1 : -1;
}

/* The result of a conversion at a position: -1 if nothing is left. */
int __dally_scanned(const char *s, long at, int count) { return count == 0 && at >= 0 && s[at] == 0 ? -1 : count; }

static int __dally_digit(char c, int base) {
  int digit = 99;
  if (c >= '0' && c <= '9') digit = c - '0';
  else if (c >= 'a' && c <= 'z') digit = c - 'a' + 10;
  else if (c >= 'A' && c <= 'Z') digit = c - 'A' + 10;
  return digit < base ? digit : -1;
}

long __dally_scan_number(const char *s, long at, long width, int base, long long *value) {
  if (at < 0) return at;
  while (s[at] == ' ' || (s[at] >= 9 && s[at] <= 13)) at++;
  long end = width > 0 ? at + width : -1;
  int negative = 0;
  long long number = 0;
  if (at != end && (s[at] == '-' || s[at] == '+')) { negative = s[at] == '-'; at++; }
  int any = 0;
  if (base != 10 && base != 8 && at != end && s[at] == '0') {
    any = 1;
    at++;
    if (at != end && (s[at] == 'x' || s[at] == 'X')) { at++; base = 16; any = 0; }
    else if (base == 0) base = 8;
  }
  if (base == 0) base = 10;
  while (at != end && __dally_digit(s[at], base) >= 0) { number = number * base + __dally_digit(s[at], base); any = 1; at++; }
  if (!any) return -1;
  *value = negative ? -number : number;
  return at;
}

long __dally_scan_word(const char *s, long at, long width, char *to) {
  if (at < 0) return at;
  while (s[at] == ' ' || (s[at] >= 9 && s[at] <= 13)) at++;
  long n = 0;
  while (s[at] != 0 && s[at] != ' ' && !(s[at] >= 9 && s[at] <= 13) && n != width) {
    if (to) to[n] = s[at];
    n++;
    at++;
  }
  if (n == 0) return -1;
  if (to) to[n] = 0;
  return at;
}

long __dally_scan_chars(const char *s, long at, long count, char *to) {
  if (at < 0) return at;
  for (long i = 0; i < count; i++) {
    if (s[at] == 0) return -1;
    if (to) to[i] = s[at];
    at++;
  }
  return at;
}

/* Arbitrary input: a word of at most `width` characters. Without a width, it may be longer than any array. */
void __dally_input_word(char *to, long width) {
  __dally_check(width > 0, "the input may be longer than the array: the conversion %s has no width");
  __dally_access(to, width + 1);
  to[0] = __dally_nondet(char);
  __dally_restrict(to[0] > 32);
  to[1] = 0;
}
