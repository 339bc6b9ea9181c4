int main(void) {
  int *p;
  {
    int inner = 1;
    p = &inner;
    *p = 2;
  }
  return *p;
}
