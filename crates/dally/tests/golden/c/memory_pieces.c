// Bytes that are copied and filled in pieces are those of one step: pointers, odd sizes and both directions.
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct entry {
  int key;
  int *value;
  char name[5];
};

void *nothing(void *unused) { return unused; }

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, nothing, NULL);
  pthread_join(thread, NULL);
  struct entry *table = malloc(3 * sizeof *table);
  memset(table, 0, 3 * sizeof *table);
  assert(table[2].key == 0 && table[2].value == NULL && table[1].name[4] == 0);
  for (int i = 0; i < 2; i++) {
    table[i].key = i;
    table[i].value = malloc(sizeof(int));
    *table[i].value = 10 + i;
    memset(table[i].name, 'a' + i, 5);
  }
  memmove(table + 1, table, 2 * sizeof *table);
  assert(table[2].key == 1 && *table[2].value == 11 && table[2].name[3] == 'b');
  assert(table[1].key == 0 && *table[1].value == 10 && table[1].name[4] == 'a');
  memmove((char *)table, (char *)table + 24, 48);
  assert(table[1].key == 1 && *table[0].value == 10);
  char text[12] = "0123456789";
  memmove(text + 1, text, 10);
  assert(strcmp(text, "00123456789") == 0);
  memmove(text, text + 2, 10);
  assert(strcmp(text, "123456789") == 0);
  memset(text + 1, 0x7f, 9);
  assert(text[0] == '1' && text[9] == 127 && text[10] == '9');
  return 0;
}
