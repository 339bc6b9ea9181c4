// The request of timer_against_cancel.c: whoever claims it completes it.
//
// check: proved
#include <dally.h>

dally_request request;

static void finish(int status) {
  if (dally_claim(&request))
    dally_complete(&request, status);
}

DALLY_TIMER(2) void timeout(void) { finish(-1); }

DALLY_INTERRUPT(1) void answer(void) {
  dally_disable(answer);
  dally_timer_cancel(timeout);
  finish(0);
}

int main(void) {
  dally_submit(&request);
  dally_timer_start(timeout);
  dally_enable(answer);
  dally_wait_for(&request);
  return 0;
}
