// The queue of priority_queue.c, whose producer is not interrupted.
//
// check: proved
#include <assert.h>
#include <dally.h>

#define ROOM 4

int slots[ROOM];
int count;
int sent, received;

void consume(void) {
  if (count > 0) {
    count--;
    assert(slots[count] != 0);
    received += slots[count];
    slots[count] = 0;
  }
}

DALLY_INTERRUPT(1) void button(void) {
  consume();
  dally_disable(button);
}

static void produce(int value) {
  dally_atomic_begin();
  slots[count] = value;
  count++;
  sent += value;
  dally_atomic_end();
}

int main(void) {
  dally_enable(button);
  produce(1);
  produce(2);
  dally_disable(button);
  while (count > 0)
    consume();
  assert(received == sent);
  return 0;
}
