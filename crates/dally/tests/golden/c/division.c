int main(void) {
  int zero = 0;
  return -7 / 2 == -3 && -7 % 2 == -1 ? 1 / zero : 0;
}
