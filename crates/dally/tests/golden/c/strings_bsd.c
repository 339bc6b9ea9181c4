// Functions on strings that C does not have: strlcpy, strlcat, memccpy, strcasecmp and strncasecmp.
#include <assert.h>
#include <string.h>
#include <strings.h>

int main(void) {
  char text[6];
  assert(strlcpy(text, "abc", sizeof text) == 3 && strcmp(text, "abc") == 0);
  assert(strlcat(text, "defg", sizeof text) == 7 && strcmp(text, "abcde") == 0);
  assert(strlcpy(text, "longer text", sizeof text) == 11 && strcmp(text, "longe") == 0);
  assert(strlcpy(text, "x", 0) == 1 && text[0] == 'l');
  assert(memccpy(text, "12345", '3', 5) == text + 3 && text[3] == 'g');
  assert(memccpy(text, "12345", '9', 2) == NULL);
  assert(strcasecmp("Queue", "qUEUE") == 0 && strcasecmp("a", "B") < 0);
  assert(strncasecmp("HeadX", "headY", 4) == 0 && strncasecmp("ab", "AC", 2) < 0);
  return 0;
}
