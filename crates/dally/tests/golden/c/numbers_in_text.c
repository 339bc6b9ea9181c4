// strtol and its like: numbers out of range, bases, and text that is no number.
#include <assert.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

int main(void) {
  char *end;
  assert(strtol("99999999999999999999", &end, 10) == LONG_MAX && errno == ERANGE && *end == 0);
  errno = 0;
  assert(strtol("-99999999999999999999x", &end, 10) == LONG_MIN && errno == ERANGE && *end == 'x');
  errno = 0;
  assert(strtol("9223372036854775807", NULL, 10) == LONG_MAX && errno == 0);
  assert(strtol("-9223372036854775808", NULL, 10) == LONG_MIN && errno == 0);
  assert(strtoll("9223372036854775808", NULL, 10) == LLONG_MAX && errno == ERANGE);
  errno = 0;
  assert(strtoul("18446744073709551615", NULL, 10) == ULONG_MAX && errno == 0);
  assert(strtoul("-1", NULL, 10) == ULONG_MAX && errno == 0);
  assert(strtoul("18446744073709551616", NULL, 10) == ULONG_MAX && errno == ERANGE);
  errno = 0;
  assert(strtol(" \t-0x1Fg", &end, 16) == -31 && *end == 'g');
  assert(strtol("0xg", &end, 0) == 0 && *end == 'x');
  assert(strtol("017", NULL, 0) == 15 && strtol("zz", NULL, 36) == 1295);
  const char *text = "none";
  assert(strtol(text, &end, 10) == 0 && end == text);
  assert(errno == 0 && strtol("1", NULL, 1) == 0 && errno == EINVAL);
  assert(atoi("-42 apples") == -42 && atoi("") == 0);
  return 0;
}
