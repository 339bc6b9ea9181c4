#include <assert.h>
#include <stdio.h>
#include <string.h>

int main(void) {
  char buffer[16];
  const char *name = "abc";
  int written = -1;
  int length = printf("%s%5d%n!\n", name, -42, &written);
  assert(written == 8 && length == 10);
  assert(snprintf(buffer, sizeof buffer, "%s=%04d|%#x", name, 7, 255) == 13);
  assert(strcmp(buffer, "abc=0007|0xff") == 0);
  assert(snprintf(buffer, 4, "%s", "longer") == 6 && strcmp(buffer, "lon") == 0);
  assert(snprintf(NULL, 0, "%-6lu|", 12ul) == 7);
  puts(buffer);
  fputs(name, stdout);
  perror(NULL);
}
