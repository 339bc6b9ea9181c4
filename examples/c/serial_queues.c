// Serial queues, as Grand Central Dispatch has them: each is a buffer, and its blocks run in turn. The main queue sends a block to
// a worker queue and goes on; the answer comes back as a block of its own.
//
// Blocks of one queue need no lock, so the state of the main queue is safe: only it touches `total`.
//
// check: proved
#include <assert.h>
#include <dally.h>

int total;
int squares;

DALLY_NO_YIELDS DALLY_NO_ZIELDS void add(int square) {
  total += square;
  squares--;
  if (squares == 0)
    assert(total == 13);
}

DALLY_NO_YIELDS void work(int n) { dally_post_to(0, 0, add, n * n); }

DALLY_ENTRY(0) DALLY_NO_YIELDS void main_queue(void) {
  squares = 2;
  dally_post_to(1, 0, work, 2);
  dally_post_to(1, 0, work, 3);
}

DALLY_ENTRY(1) void worker_queue(void) {}
