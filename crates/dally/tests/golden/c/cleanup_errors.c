// Variables with `cleanup` into whose scopes a jump leads, arrays of variable length, and names that are no functions.
static void end(int *p) { }

int main(int argc, char **argv) {
  if (argc > 1) goto inside;
  int early __attribute__((cleanup(end))) = 1;
inside:;
  int array[argc] __attribute__((cleanup(end)));
  int other __attribute__((cleanup(ended))) = 2;
  return early;
}
