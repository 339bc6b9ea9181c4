#include <stdio.h>

int main(int argc, char **argv) {
  const char *format = argc > 1 ? "%d\n" : "%x\n";
  printf(format, 1);
  format = NULL;
  printf(format, 1);
}
