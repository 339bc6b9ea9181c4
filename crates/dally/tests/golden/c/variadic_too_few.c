// A function reads more arguments than the call has.
#include <stdarg.h>

int sum(int count, ...) {
  va_list list;
  va_start(list, count);
  int total = 0;
  for (int i = 0; i < count; i++) total += va_arg(list, int);
  va_end(list);
  return total;
}

int main(void) { return sum(3, 1, 2); }
