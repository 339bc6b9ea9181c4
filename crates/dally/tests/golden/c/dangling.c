int *address(void) {
  int local = 1;
  return &local;
}

int main(void) {
  int *p = address();
  return *p;
}
