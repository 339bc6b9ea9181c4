// The queues of serial_queues.c, but the worker adds to the total itself: it races with the main queue.
//
// check: bug 1
#include <assert.h>
#include <dally.h>

int total;
int squares = 2;

DALLY_NO_YIELDS void done(void) {
  dally_atomic_begin();
  squares--;
  if (squares == 0)
    assert(total == 13);
  dally_atomic_end();
}

DALLY_NO_YIELDS void work(int n) {
  total += n * n; // the bug: two steps, while the main queue does the same
  dally_post_to(0, 0, done, 0);
}

DALLY_ENTRY(0) DALLY_NO_YIELDS void main_queue(void) {
  dally_post_to(1, 0, work, 3);
  total += 4;
  dally_post_at(0, done, 0);
}

DALLY_ENTRY(1) void worker_queue(void) {}
