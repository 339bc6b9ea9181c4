#include <assert.h>

int choose(int v) {
  switch (v) {
    int x;
    int *p;
  case 1:
    x = 1;
    p = &x;
    return *p;
  case 2: {
    int y = 2;
    int *q = &y;
    x = 3;
    if (*q == 2) break;
    return 9;
  }
  default:
    x = 4;
    p = &x;
    (*p)++;
    return x;
  }
  return 7;
}

int main(void) {
  int turns = 0, sum = 0;
  assert(choose(1) == 1 && choose(2) == 7 && choose(3) == 5);
  goto in;
  {
    int x;
  in:
    x = 5;
    int *p = &x;
    assert(*p == 5);
    turns++;
    if (turns < 3) goto in;
  }
  for (int n = 1; n < 5; n++) {
    int array[n];
    int *p = array;
    p[n - 1] = n;
    if (n == 2) continue;
    sum += array[n - 1];
    if (sum > 3) break;
  }
  assert(sum == 4);
  int value = ({
    int inner = 2;
    int *p = &inner;
    *p += 3;
    inner;
  });
  assert(value == 5);
}
