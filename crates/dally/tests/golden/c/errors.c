// One error of each kind.
struct unknown u;
int length;
int array[length];
struct point { int x; int y; };
struct point origin = { .z = 1 };
int twice;
char twice;
_Static_assert(sizeof(int) == 2, "small integers");
enum big { LARGE = 0x7fffffffffffffff, LARGER };
void bad(void) {
  struct point p;
  3 = length;
  p.z = 1;
  goto nowhere;
  length(2);
  switch (length) { case 1: case 1: break; }
  _Complex double c;
  int sizeless[];
  char *s = "\q";
  p = 3;
  const int four = 4;
  four++;
  return 1;
}
int main(void) { int *q; q + q; return missing; }
int three[3] = 5;
struct bits { int wide : 40; };
