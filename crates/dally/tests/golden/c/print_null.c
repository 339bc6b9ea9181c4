#include <stdio.h>

int main(void) {
  const char *name = NULL;
  puts("hello");
  puts(name);
}
