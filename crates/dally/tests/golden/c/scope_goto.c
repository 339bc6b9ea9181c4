int main(void) {
  int *p;
  int turns = 0;
again: {
  int inner = turns;
  if (turns == 1) return *p;
  p = &inner;
  turns++;
  goto out;
}
out:
  goto again;
}
