#include <assert.h>
#include <stdio.h>

int main(void) {
  int a, b, read;
  char word[8];
  assert(sscanf(" 12, -7 abc", "%d , %d %7s%n", &a, &b, word, &read) == 3);
  assert(a == 12 && b == -7 && word[2] == 'c' && word[3] == 0 && read == 11);
  assert(sscanf("", "%d", &a) == EOF && sscanf("x", "%d", &a) == 0);
  char line[4] = "";
  if (scanf("%3s %d", line, &a) == 2) printf("%s %d\n", line, a);
  if (fgets(line, sizeof line, stdin)) fputs(line, stdout);
}
