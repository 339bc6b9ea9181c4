int main(void) {
  int *previous = 0;
  for (int i = 0; i < 3; i++) {
    int turn = i;
    if (previous) *previous = i;
    previous = &turn;
  }
}
