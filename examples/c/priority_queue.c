// A queue as in a small real-time kernel: a task of level 0 fills it, and one of level 1, which interrupts it, empties it.
//
// The count is changed after the slot: a consumer that interrupts in between sees the old count, and the producer then writes
// its own, which is out of date.
//
// check: bug 0
// verify --yields 1: bug
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
#ifdef FIXED
  dally_atomic_begin();
  slots[count] = value;
  count++;
  sent += value;
  dally_atomic_end();
#else
  int n = count;
  slots[n] = value;
  count = n + 1; // the bug: the consumer may have changed it
  sent += value;
#endif
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
