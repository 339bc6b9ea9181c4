// A request with a timeout: completion and timer race, and both complete the request.
//
// Completion cancels the timer, but does not look whether it has already fired.
//
// check: bug 0
// verify --yields 1: bug
#include <dally.h>

dally_request request;

DALLY_TIMER(2) void timeout(void) { dally_complete(&request, -1); }

DALLY_INTERRUPT(1) void answer(void) {
  dally_disable(answer);
  dally_timer_cancel(timeout); // the bug: 0 would mean that the timer owns the request
  dally_complete(&request, 0);
}

int main(void) {
  dally_submit(&request);
  dally_timer_start(timeout);
  dally_enable(answer);
  dally_wait_for(&request);
  return 0;
}
