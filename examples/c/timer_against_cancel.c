// A request with a timeout: completion and timer race, and both complete the request.
//
// Completion cancels the timer, but does not look whether it has already fired.
//
// check: bug 0
// verify --yields 1: bug
#include <dally.h>

dally_request request;

static void finish(int status) {
#ifdef FIXED
  if (!dally_claim(&request))
    return;
#endif
  dally_complete(&request, status);
}

DALLY_TIMER(2) void timeout(void) { finish(-1); }

DALLY_INTERRUPT(1) void answer(void) {
  dally_disable(answer);
  dally_timer_cancel(timeout); // the bug: 0 would mean that the timer owns the request
  finish(0);
}

int main(void) {
  dally_submit(&request);
  dally_timer_start(timeout);
  dally_enable(answer);
  dally_wait_for(&request);
  return 0;
}
