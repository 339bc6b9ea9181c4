// `#pragma pack` and `_Pragma`: the layout of structs, and bit-fields without gaps.
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#pragma pack(push, 1)
struct header { char kind; int length; short flags : 5; };
#pragma pack(pop)
struct plain { char kind; int length; };
_Pragma("pack(2)")
struct pair { char kind; int low : 20, high : 20; };
#pragma pack()
struct __attribute__((packed)) dense { char kind; int length : 20; char mark; };
#pragma pack(3)

int main(void) {
  assert(sizeof(struct header) == 6 && sizeof(struct plain) == 8);
  assert(sizeof(struct pair) == 6 && sizeof(struct dense) == 5);
  unsigned char bytes[6] = { 1, 2, 0, 0, 0, 31 };
  struct header *h = malloc(sizeof(struct header));
  memcpy(h, bytes, sizeof bytes);
  assert(h->kind == 1 && h->length == 2 && h->flags == -1);
  struct pair *p = malloc(sizeof *p);
  p->kind = 7;
  p->low = -5;
  p->high = 77777;
  assert(p->kind == 7 && p->low == -5 && p->high == 77777);
  struct dense d[2];
  for (int i = 0; i < 2; i++) {
    d[i].kind = i;
    d[i].length = 300000 + i;
    d[i].mark = 9;
  }
  assert(d[0].kind == 0 && d[0].length == 300000 && d[0].mark == 9);
  assert(d[1].kind == 1 && d[1].length == 300001 && d[1].mark == 9);
  return 0;
}
