// A call of the error function of SV-COMP is a bug, whatever the program makes of the function.
int nothing;

void reach_error(void) {
  nothing = 1;
}

int main(void) {
  if (nothing == 0) {
    reach_error();
  }
  return 0;
}
