#include <stdio.h>

int main(void) {
  char word[8];
  scanf("%7s", word);
  scanf("%8s", word);
}
