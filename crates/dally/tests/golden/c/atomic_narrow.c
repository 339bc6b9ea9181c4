// Atomic operations on types narrower than `int`.
#include <assert.h>
#include <stdatomic.h>
int main(void) {
  _Atomic unsigned char c = 254;
  unsigned char old = atomic_fetch_xor(&c, 255);
  assert(old == 254 && c == 1);
  _Atomic signed char s = -2;
  assert(atomic_fetch_or(&s, 1) == -2 && s == -1);
  assert(atomic_fetch_xor(&s, 127) == -1 && s == -128);
  short h = -3;
  assert(__atomic_or_fetch(&h, 2, 5) == -1);
  assert(__sync_fetch_and_xor(&h, -1) == -1 && h == 0);
  unsigned short u = 0x8001;
  assert(__sync_xor_and_fetch(&u, 0x8000) == 1);
  assert(__atomic_fetch_or(&u, 0xf000, 5) == 1 && u == 0xf001);
  assert(__atomic_fetch_and(&u, 0x9001, 5) == 0xf001 && u == 0x9001);
  assert(__atomic_fetch_nand(&h, 5, 5) == 0 && h == -1);
  assert(__atomic_nand_fetch(&u, 0x8005, 5) == 0x7ffe);
  return 0;
}
