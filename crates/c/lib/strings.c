/* Strings. */
size_t strlen(const char *s) {
  size_t n = 0;
  while (s[n] != 0) n++;
  return n;
}
size_t strnlen(const char *s, size_t limit) {
  size_t n = 0;
  while (n < limit && s[n] != 0) n++;
  return n;
}
char *strcpy(char *to, const char *from) {
  size_t i = 0;
  while (from[i] != 0) { to[i] = from[i]; i++; }
  to[i] = 0;
  return to;
}
char *stpcpy(char *to, const char *from) {
  size_t i = 0;
  while (from[i] != 0) { to[i] = from[i]; i++; }
  to[i] = 0;
  return to + i;
}
char *strncpy(char *to, const char *from, size_t n) {
  size_t i = 0;
  while (i < n && from[i] != 0) { to[i] = from[i]; i++; }
  while (i < n) { to[i] = 0; i++; }
  return to;
}
char *strcat(char *to, const char *from) { strcpy(to + strlen(to), from); return to; }
char *strncat(char *to, const char *from, size_t n) {
  size_t end = strlen(to);
  size_t i = 0;
  while (i < n && from[i] != 0) { to[end + i] = from[i]; i++; }
  to[end + i] = 0;
  return to;
}
int strcmp(const char *a, const char *b) {
  size_t i = 0;
  while (a[i] != 0 && a[i] == b[i]) i++;
  return (unsigned char)a[i] - (unsigned char)b[i];
}
int strncmp(const char *a, const char *b, size_t n) {
  size_t i = 0;
  while (i < n && a[i] != 0 && a[i] == b[i]) i++;
  return i == n ? 0 : (unsigned char)a[i] - (unsigned char)b[i];
}
int strcasecmp(const char *a, const char *b) {
  size_t i = 0;
  while (a[i] != 0 && tolower(a[i]) == tolower(b[i])) i++;
  return tolower((unsigned char)a[i]) - tolower((unsigned char)b[i]);
}
int strncasecmp(const char *a, const char *b, size_t n) {
  size_t i = 0;
  while (i < n && a[i] != 0 && tolower(a[i]) == tolower(b[i])) i++;
  return i == n ? 0 : tolower((unsigned char)a[i]) - tolower((unsigned char)b[i]);
}
/* The functions of BSD return the length that the result would have without the limit. */
size_t strlcpy(char *to, const char *from, size_t size) {
  size_t i = 0;
  while (i + 1 < size && from[i] != 0) { to[i] = from[i]; i++; }
  if (size > 0) to[i] = 0;
  return strlen(from);
}
size_t strlcat(char *to, const char *from, size_t size) {
  size_t start = strnlen(to, size);
  return start + strlcpy(to + start, from, size - start);
}
void *memccpy(void *to, const void *from, int byte, size_t n) {
  unsigned char *x = to;
  const unsigned char *y = from;
  for (size_t i = 0; i < n; i++) {
    x[i] = y[i];
    if (y[i] == (unsigned char)byte) return x + i + 1;
  }
  return 0;
}
int strcoll(const char *a, const char *b) { return strcmp(a, b); }
char *strchr(const char *s, int c) {
  size_t i = 0;
  while (s[i] != 0 && s[i] != (char)c) i++;
  return s[i] == (char)c ? (char *)(s + i) : 0;
}
char *index(const char *s, int c) { return strchr(s, c); }
char *strrchr(const char *s, int c) {
  char *last = 0;
  size_t i = 0;
  while (s[i] != 0) { if (s[i] == (char)c) last = (char *)(s + i); i++; }
  if ((char)c == 0) last = (char *)(s + i);
  return last;
}
char *rindex(const char *s, int c) { return strrchr(s, c); }
char *strstr(const char *s, const char *part) {
  size_t n = strlen(part);
  for (size_t i = 0; ; i++) {
    if (strncmp(s + i, part, n) == 0) return (char *)(s + i);
    if (s[i] == 0) return 0;
  }
}
size_t strspn(const char *s, const char *set) {
  size_t n = 0;
  while (s[n] != 0 && strchr(set, s[n]) != 0) n++;
  return n;
}
size_t strcspn(const char *s, const char *set) {
  size_t n = 0;
  while (s[n] != 0 && strchr(set, s[n]) == 0) n++;
  return n;
}
char *strpbrk(const char *s, const char *set) {
  size_t n = strcspn(s, set);
  return s[n] == 0 ? 0 : (char *)(s + n);
}
char *strtok_r(char *s, const char *set, char **rest) {
  if (s == 0) s = *rest;
  s = s + strspn(s, set);
  if (*s == 0) { *rest = s; return 0; }
  char *end = s + strcspn(s, set);
  if (*end != 0) { *end = 0; end = end + 1; }
  *rest = end;
  return s;
}
static char *__dally_strtok_rest;
char *strtok(char *s, const char *set) {
  char *rest = __dally_strtok_rest;
  char *token = strtok_r(s, set, &rest);
  __dally_strtok_rest = rest;
  return token;
}
char *strdup(const char *s) {
  size_t n = strlen(s) + 1;
  char *copy = __dally_allocate(n, 0);
  __dally_copy(copy, s, n);
  return copy;
}
char *strndup(const char *s, size_t limit) {
  size_t n = strnlen(s, limit);
  char *copy = __dally_allocate(n + 1, 0);
  __dally_copy(copy, s, n);
  copy[n] = 0;
  return copy;
}
char *strerror(int error) { return "error"; }
