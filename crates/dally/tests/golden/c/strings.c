#include <assert.h>
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

int main(void) {
  char buffer[16] = "ab";
  strcat(buffer, "cd");
  assert(strlen(buffer) == 4 && strcmp(buffer, "abcd") == 0);
  assert(strchr(buffer, 'c') == buffer + 2 && strstr(buffer, "bc") == buffer + 1);
  char *copy = strdup(buffer);
  assert(memcmp(copy, buffer, 5) == 0 && toupper(copy[0]) == 'A');
  free(copy);
  assert(atoi(" -12x") == -12 && strtol("ff", NULL, 16) == 255);
}
