// A server with a buffer for each connection ([FSE12 §2.2]): the tasks of one connection run one after the other, and those of
// different connections on different processors. The counter of requests is shared by all, and an increment is lost.
//
// check: bug 1
// verify --zields 2 --yields 2: bug
#include <assert.h>
#include <dally.h>

int served;
int open_connections = 2;

void answer(void) {
  int n = served;
  served = n + 1; // the bug: another connection may have changed it
}

DALLY_NO_YIELDS static void serve(void) {
  answer();
  dally_atomic_begin();
  open_connections--;
  if (open_connections == 0)
    assert(served == 2);
  dally_atomic_end();
}

DALLY_ENTRY(0) void first_connection(void) { serve(); }

DALLY_ENTRY(1) void second_connection(void) { serve(); }
