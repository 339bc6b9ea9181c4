#define TWICE(x) ((x) + (y))

int main(void) {
  int x = 3
  return TWICE(x);
}
