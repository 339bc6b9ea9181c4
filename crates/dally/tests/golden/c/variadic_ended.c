// A list is used after va_end.
#include <stdarg.h>

int first(int count, ...) {
  va_list list;
  va_start(list, count);
  va_end(list);
  return va_arg(list, int);
}

int main(void) { return first(1, 2); }
