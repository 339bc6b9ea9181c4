// memcpy of areas that overlap; to copy an object to itself is let pass.
#include <string.h>

int main(void) {
  char text[8] = "abcdefg";
  memcpy(text, text + 4, 4);
  memmove(text + 1, text, 4);
  memcpy(text, text, 8);
  memcpy(text + 1, text, 4);
  return 0;
}
