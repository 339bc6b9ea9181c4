// Constructs that a C compiler warns about.
extern int elsewhere;
old(x) { return x; }
int numbers[2] = { 1, 2, 3 };
int two(int a, int b) { return a + b; }
void nothing(void) { return 1; }
int main(void) {
  int *p = 5;
  undeclared(p);
  two(1, 2);
  return elsewhere + old(1);
}
