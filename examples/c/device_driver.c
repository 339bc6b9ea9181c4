// A device driver and its hardware ([FSE12 §6], third experiment): two buffers and three levels.
//
// The driver (level 0) requests reads and waits until all are completed. The hardware, in a buffer of its own, executes them one after
// the other, and raises the interrupt line. The service routine (level 2) counts a read and posts a deferred call (level 1) for
// the rest. The deferred call can itself be interrupted, so it takes the count while interrupts are off.
//
// The service routine counts without a lock, in two steps. It cannot race with itself, since no task that could start it again runs
// below it. With -D FLAT the levels are ignored: all are tasks of one level, and a race is reported that the system does not
// have. With -D DROP_BUG, the deferred call forgets the reads that are counted while it runs.
//
// check: proved
// check -D FLAT --no-reduction: bug 2
// check -D DROP_BUG: deadlock 1
// verify --zields 1 --yields 2: proved
#include <assert.h>
#include <dally.h>
#include <stdbool.h>

enum { READS = 2 };

#ifdef FLAT
#define post_service_routine() dally_post(service_routine, 0)
#define post_deferred_call() dally_post(deferred_call, 0)
#else
#define post_service_routine() dally_post_at(2, service_routine, 0)
#define post_deferred_call() dally_post_at(1, deferred_call, 0)
#endif

/* Between software and hardware. */
static int requests;            /* reads that the hardware has to execute */
static bool line;               /* the interrupt line */

/* Between the parts of the driver. */
static int finished;            /* reads that are executed, but not completed */
static int completed;
static bool in_service_routine;
static bool interrupts_are_off;

static void deferred_call(void);

/* Level 2: as short as possible. */
static void service_routine(void) {
  assert(!in_service_routine);  /* the test for the race */
  in_service_routine = true;
  int seen = finished;
  finished = seen + 1;
  in_service_routine = false;
  post_deferred_call();
}

/* The processor looks at the line between any two instructions. */
DALLY_NO_YIELDS static void poll(void) {
  dally_atomic_begin();
  bool fires = line && !interrupts_are_off;
  if (fires)
    line = false;
  dally_atomic_end();
  if (fires)
    post_service_routine();
}

/* Level 1: completes the reads that were counted. */
DALLY_NO_YIELDS static void deferred_call(void) {
#ifdef DROP_BUG
  int count = finished;
  poll();
  finished = 0;                 /* the bug: also drops what was counted since */
#else
  interrupts_are_off = true;
  int count = finished;
  poll();
  finished = 0;
  interrupts_are_off = false;
#endif
  poll();
  completed += count;
}

/* Level 0: requests reads, and waits until they are completed. */
DALLY_ENTRY(0) void driver(void) {
  requests = READS;
  while (completed < READS) {
    dally_await((line && !interrupts_are_off) || completed == READS);
    poll();
  }
  assert(finished == 0);
}

/* Executes the reads. */
DALLY_ENTRY(1) DALLY_NO_YIELDS void hardware(void) {
  dally_await(requests > 0);
  while (requests > 0) {
    requests--;
    dally_await(!line);
    line = true;
  }
}
