#include <stdio.h>

int main(void) {
  char letters[3] = {'a', 'b', 'c'};
  int length = 3;
  printf("%.3s %.*s %2.1s\n", letters, length, letters, letters);
  printf("%.*s\n", length + 1, letters);
}
