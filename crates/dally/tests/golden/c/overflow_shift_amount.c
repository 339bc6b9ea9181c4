// flags: --overflow
// A shift by a variable amount, whose result does not fit.
int main(void) {
  int total = 0;
  for (int n = 28; n < 40; n++) total = 5 << n;
  return total;
}
