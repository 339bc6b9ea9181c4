// Threads by labels, as in CBMC.
int x;
void other(void) { x = 1; }
int main(void) {
  __CPROVER_ASYNC_1: other();
  return 0;
}
