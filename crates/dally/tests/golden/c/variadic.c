// Functions with variable arguments: integers, pointers, structs, copies of lists, lists that are passed on, and vsnprintf.
#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

struct pair {
  int a;
  long b[2];
};

int sum(int count, ...) {
  va_list list, again;
  va_start(list, count);
  va_copy(again, list);
  int total = 0;
  for (int i = 0; i < count; i++) total += va_arg(list, int);
  va_end(list);
  for (int i = 0; i < count; i++) total += va_arg(again, int);
  va_end(again);
  return total;
}

long mixed(const char *kinds, ...) {
  va_list list;
  va_start(list, kinds);
  long total = 0;
  for (; *kinds; kinds++) switch (*kinds) {
      case 'i': total += va_arg(list, int); break;
      case 'l': total += va_arg(list, long); break;
      case 's': total += strlen(va_arg(list, char *)); break;
      case 'p': {
        struct pair pair = va_arg(list, struct pair);
        total += pair.a + pair.b[1];
        break;
      }
    }
  va_end(list);
  return total;
}

void text(char *to, const char *format, ...) {
  va_list list;
  va_start(list, format);
  vsnprintf(to, 20, format, list);
  va_end(list);
}

int main(void) {
  struct pair pair = {3, {4, 5}};
  char buffer[20];
  const char *format = "%s=%02x";
  assert(sum(0) == 0);
  assert(sum(3, 1, 2, (short)-4) == -2);
  assert(sum(2, sum(1, 1), 2) == 8);
  assert(mixed("islp", 1, "abc", 1000000000000L, pair) == 1000000000012L);
  text(buffer, "%d, %5s|%-3c|%%", -7, "ab", 'x');
  assert(strcmp(buffer, "-7,    ab|x  |%") == 0);
  assert(sprintf(buffer, format, "n", 10) == 4);
  assert(strcmp(buffer, "n=0a") == 0);
  int (*pointer)(int, ...) = sum;
  assert(pointer(2, 5, 6) == 22);
  return 0;
}
