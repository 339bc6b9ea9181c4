// A driver of a serial port with three threads: an application that reads with a timeout and cancels what takes too long, the
// interrupt service of the port, and the line, which delivers characters. A read that is cancelled while it is completed belongs to one of
// the two: whoever takes its cancel routine away.
//
// With -D CANCEL_BUG, the completion does not look whether the cancel routine is still there: both complete the request.
//
// check: proved
// check -D CANCEL_BUG: bug 3
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---------------------------------------------------------------- Codes ---------------------------------------------------- */

enum status {
  STATUS_SUCCESS = 0,
  STATUS_PENDING = 1,
  STATUS_CANCELLED = -1,
  STATUS_INVALID_PARAMETER = -2,
  STATUS_BUSY = -3,
  STATUS_NOT_SUPPORTED = -4,
};

enum operation {
  OPERATION_READ,
  OPERATION_WRITE,
  OPERATION_SET_LINE,
  OPERATION_GET_LINE,
  OPERATION_PURGE,
};

enum parity {
  PARITY_NONE,
  PARITY_EVEN,
  PARITY_ODD,
};

/* The registers of the port, as those of a 16450. */
enum {
  INTERRUPT_RECEIVED = 0x01,
  INTERRUPT_SENT = 0x02,
  INTERRUPT_LINE = 0x04,
  LINE_READY = 0x01,
  LINE_OVERRUN = 0x02,
  LINE_PARITY = 0x04,
  LINE_EMPTY = 0x20,
};

enum {
  ROOM = 4,             /* characters in the buffer of the driver */
  LONGEST = 2,          /* characters of one read */
  CHARACTERS = 2,       /* that the line delivers */
  SLOWEST = 50,
  FASTEST = 115200,
};

/* ---------------------------------------------------------------- Data ----------------------------------------------------- */

struct request;
typedef void cancel_routine(struct request *request);

struct request {
  enum operation operation;
  uint8_t data[LONGEST];
  unsigned length;      /* wanted */
  unsigned filled;
  enum status status;
  int completions;
  _Atomic(cancel_routine *) cancel;
  atomic_bool cancelled;
};

struct line_control {
  unsigned rate;
  enum parity parity;
  unsigned bits;
};

struct registers {
  uint8_t received;
  uint8_t line;
  uint8_t enabled;      /* interrupts */
  uint8_t sent;
  uint8_t parity;
};

struct counters {
  unsigned received;
  unsigned overruns;
  unsigned parity_errors;
  unsigned sent;
  unsigned reads;
  unsigned cancelled;
};

/* The lock of the port protects everything but the cancel routines. */
static pthread_mutex_t port_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t interrupt = PTHREAD_COND_INITIALIZER;
static pthread_cond_t received_by_port = PTHREAD_COND_INITIALIZER;
static pthread_cond_t completed = PTHREAD_COND_INITIALIZER;

static struct registers registers = { .line = LINE_EMPTY, .enabled = INTERRUPT_RECEIVED };
static struct line_control line_control = { 9600, PARITY_NONE, 8 };
static struct counters counters;

/* The characters that nobody has read so far. */
static uint8_t buffer[ROOM];
static unsigned buffer_first;
static unsigned buffer_count;

/* The read that waits for characters. */
static struct request *current_read;

static bool line_is_closed;
static struct request read_request;

/* ---------------------------------------------------------------- The buffer ----------------------------------------------- */

/* The functions on the buffer are called with the lock of the port. */

static bool buffer_is_full(void) { return buffer_count == ROOM; }

static bool buffer_is_empty(void) { return buffer_count == 0; }

static void buffer_add(uint8_t character) {
  if (buffer_is_full()) {
    counters.overruns++;
    return;
  }
  buffer[(buffer_first + buffer_count) % ROOM] = character;
  buffer_count++;
}

static uint8_t buffer_take(void) {
  assert(!buffer_is_empty());
  uint8_t character = buffer[buffer_first];
  buffer_first = (buffer_first + 1) % ROOM;
  buffer_count--;
  return character;
}

static void buffer_purge(void) {
  buffer_first = 0;
  buffer_count = 0;
}

/* ---------------------------------------------------------------- Completion ----------------------------------------------- */

/* Completes a request. It must belong to the caller. Called with the lock of the port. */
static void complete(struct request *request, enum status status) {
  request->status = status;
  request->completions++;
  assert(request->completions == 1);
  pthread_cond_broadcast(&completed);
}

/* ---------------------------------------------------------------- Cancellation --------------------------------------------- */

/* Cancels a read. The caller has taken the cancel routine away, and so owns the request. */
static void cancel_read(struct request *request) {
  pthread_mutex_lock(&port_lock);
  if (current_read == request)
    current_read = NULL;
  counters.cancelled++;
  complete(request, STATUS_CANCELLED);
  pthread_mutex_unlock(&port_lock);
}

/* Makes a request cancellable. False if it has been cancelled before: then it still belongs to the caller, or was cancelled by
   its routine. */
static bool make_cancellable(struct request *request, cancel_routine *routine) {
  atomic_store(&request->cancel, routine);
  if (!atomic_load(&request->cancelled))
    return true;
  return atomic_exchange(&request->cancel, NULL) == NULL;
}

/* Takes the cancel routine away. False if the cancellation was first: then the request belongs to it. */
static bool claim(struct request *request) {
#ifdef CANCEL_BUG
  atomic_store(&request->cancel, NULL);   /* the bug: what was there before? */
  return true;
#else
  return atomic_exchange(&request->cancel, NULL) != NULL;
#endif
}

/* What the system does when an application cancels a request. */
static void cancel(struct request *request) {
  atomic_store(&request->cancelled, true);
  cancel_routine *routine = atomic_exchange(&request->cancel, NULL);
  if (routine != NULL)
    routine(request);
}

/* ---------------------------------------------------------------- Reading -------------------------------------------------- */

/* Moves characters from the buffer to a read. True if it has all that it wants. Called with the lock of the port. */
static bool fill(struct request *request) {
  while (request->filled < request->length && !buffer_is_empty())
    request->data[request->filled++] = buffer_take();
  return request->filled == request->length;
}

/* Completes the current read if there are enough characters. Called with the lock of the port. */
static void serve_read(void) {
  struct request *request = current_read;
  if (request == NULL)
    return;
  if (buffer_count < request->length - request->filled)
    return;
  current_read = NULL;
  if (!claim(request))
    return;
  bool is_full = fill(request);
  assert(is_full);
  counters.reads++;
  complete(request, STATUS_SUCCESS);
}

static enum status dispatch_read(struct request *request) {
  if (request->length == 0 || request->length > LONGEST)
    return STATUS_INVALID_PARAMETER;
  enum status status = STATUS_PENDING;
  pthread_mutex_lock(&port_lock);
  if (current_read != NULL) {
    status = STATUS_BUSY;
  } else if (fill(request)) {
    counters.reads++;
    request->completions++;
    request->status = STATUS_SUCCESS;
    status = STATUS_SUCCESS;
  } else if (make_cancellable(request, cancel_read)) {
    current_read = request;
  } else {
    status = STATUS_CANCELLED;
  }
  pthread_mutex_unlock(&port_lock);
  return status;
}

/* ---------------------------------------------------------------- Writing -------------------------------------------------- */

static uint8_t parity_bit(uint8_t character) {
  unsigned ones = 0;
  for (unsigned bit = 0; bit < line_control.bits; bit++)
    ones += (character >> bit) & 1;
  switch (line_control.parity) {
  case PARITY_EVEN:
    return ones % 2;
  case PARITY_ODD:
    return 1 - ones % 2;
  default:
    return 0;
  }
}

/* Gives a character to the port, if it has sent the one before. Called with the lock of the port. */
static bool transmit(uint8_t character) {
  if ((registers.line & LINE_EMPTY) == 0)
    return false;
  registers.sent = character;
  registers.parity = parity_bit(character);
  registers.line &= (uint8_t)~LINE_EMPTY;
  counters.sent++;
  return true;
}

/* The port has sent its character. */
static void service_sent(void) { registers.line |= LINE_EMPTY; }

static enum status dispatch_write(struct request *request) {
  if (request->length == 0 || request->length > LONGEST)
    return STATUS_INVALID_PARAMETER;
  enum status status = STATUS_SUCCESS;
  pthread_mutex_lock(&port_lock);
  for (request->filled = 0; request->filled < request->length; request->filled++) {
    if (!transmit(request->data[request->filled])) {
      status = STATUS_BUSY;
      break;
    }
    service_sent();
  }
  pthread_mutex_unlock(&port_lock);
  return status;
}

/* ---------------------------------------------------------------- Other requests ------------------------------------------- */

static bool is_valid(const struct line_control *wanted) {
  if (wanted->rate < SLOWEST || wanted->rate > FASTEST)
    return false;
  if (wanted->bits < 5 || wanted->bits > 8)
    return false;
  return wanted->parity == PARITY_NONE || wanted->parity == PARITY_EVEN || wanted->parity == PARITY_ODD;
}

static enum status set_line(const struct line_control *wanted) {
  if (!is_valid(wanted))
    return STATUS_INVALID_PARAMETER;
  pthread_mutex_lock(&port_lock);
  line_control = *wanted;
  pthread_mutex_unlock(&port_lock);
  return STATUS_SUCCESS;
}

static enum status get_line(struct line_control *found) {
  pthread_mutex_lock(&port_lock);
  *found = line_control;
  pthread_mutex_unlock(&port_lock);
  return STATUS_SUCCESS;
}

static enum status purge(void) {
  pthread_mutex_lock(&port_lock);
  buffer_purge();
  pthread_mutex_unlock(&port_lock);
  return STATUS_SUCCESS;
}

static enum status dispatch(struct request *request) {
  switch (request->operation) {
  case OPERATION_READ:
    return dispatch_read(request);
  case OPERATION_WRITE:
    return dispatch_write(request);
  case OPERATION_PURGE:
    return purge();
  default:
    return STATUS_NOT_SUPPORTED;
  }
}

/* ---------------------------------------------------------------- Interrupts ----------------------------------------------- */

/* The following functions are called with the lock of the port. */

static void service_line_errors(void) {
  if (registers.line & LINE_OVERRUN)
    counters.overruns++;
  if (registers.line & LINE_PARITY)
    counters.parity_errors++;
  registers.line &= (uint8_t)~(LINE_OVERRUN | LINE_PARITY);
}

static void service_received(void) {
  uint8_t character = registers.received;
  registers.line &= (uint8_t)~LINE_READY;
  counters.received++;
  buffer_add(character);
  serve_read();
  pthread_cond_signal(&received_by_port);
}

static bool interrupt_is_pending(void) {
  return (registers.line & LINE_READY) != 0 && (registers.enabled & INTERRUPT_RECEIVED) != 0;
}

/* The service of interrupts, until the line is closed and all is received. */
static void *interrupt_service(void *unused) {
  (void)unused;
  pthread_mutex_lock(&port_lock);
  while (!line_is_closed || interrupt_is_pending()) {
    if (!interrupt_is_pending()) {
      pthread_cond_wait(&interrupt, &port_lock);
      continue;
    }
    service_line_errors();
    service_received();
  }
  pthread_mutex_unlock(&port_lock);
  return NULL;
}

/* ---------------------------------------------------------------- The line ------------------------------------------------- */

/* A character arrives. The other side waits until the port has taken the one before. */
static void arrive(uint8_t character) {
  pthread_mutex_lock(&port_lock);
  while (registers.line & LINE_READY)
    pthread_cond_wait(&received_by_port, &port_lock);
  registers.received = character;
  registers.line |= LINE_READY;
  pthread_cond_signal(&interrupt);
  pthread_mutex_unlock(&port_lock);
}

static void close_line(void) {
  pthread_mutex_lock(&port_lock);
  line_is_closed = true;
  pthread_cond_signal(&interrupt);
  pthread_mutex_unlock(&port_lock);
}

static void *line(void *unused) {
  (void)unused;
  for (int i = 0; i < CHARACTERS; i++)
    arrive((uint8_t)('a' + i));
  close_line();
  return NULL;
}

/* ---------------------------------------------------------------- The application ------------------------------------------ */

static void configure(void) {
  struct line_control wanted = { 300, PARITY_EVEN, 7 };
  struct line_control found;
  enum status status = set_line(&wanted);
  assert(status == STATUS_SUCCESS);
  wanted.rate = FASTEST + 1;
  status = set_line(&wanted);
  assert(status == STATUS_INVALID_PARAMETER);
  status = get_line(&found);
  assert(status == STATUS_SUCCESS);
  assert(found.rate == 300 && found.parity == PARITY_EVEN && found.bits == 7);
}

static void refused(void) {
  read_request.operation = OPERATION_READ;
  read_request.length = LONGEST + 1;
  enum status status = dispatch(&read_request);
  assert(status == STATUS_INVALID_PARAMETER);
  read_request.operation = OPERATION_SET_LINE;
  status = dispatch(&read_request);
  assert(status == STATUS_NOT_SUPPORTED);
}

/* Sends a greeting, and forgets what has arrived so far. */
static void greet(void) {
  read_request.operation = OPERATION_WRITE;
  read_request.length = 2;
  read_request.data[0] = 0x03;
  read_request.data[1] = 0x07;
  enum status status = dispatch(&read_request);
  assert(status == STATUS_SUCCESS);
  assert(counters.sent == 2);
  assert(registers.sent == 0x07 && registers.parity == 1);
  read_request.filled = 0;
  read_request.operation = OPERATION_PURGE;
  status = dispatch(&read_request);
  assert(status == STATUS_SUCCESS);
}

/* Waits until the request is completed. */
static enum status wait_for(struct request *request) {
  pthread_mutex_lock(&port_lock);
  while (request->completions == 0)
    pthread_cond_wait(&completed, &port_lock);
  enum status status = request->status;
  pthread_mutex_unlock(&port_lock);
  return status;
}

/* Reads with a timeout, which has just passed. */
static void read_with_timeout(void) {
  read_request.operation = OPERATION_READ;
  read_request.length = LONGEST;
  enum status status = dispatch(&read_request);
  if (status == STATUS_PENDING) {
    cancel(&read_request);
    status = wait_for(&read_request);
  }
  assert(status == STATUS_SUCCESS || status == STATUS_CANCELLED);
  if (status == STATUS_SUCCESS) {
    assert(read_request.filled == LONGEST);
    assert(read_request.data[0] == 'a' && read_request.data[1] == 'b');
  }
}

/* The characters that were not read are still in the buffer. */
static void check_buffer(void) {
  pthread_mutex_lock(&port_lock);
  unsigned expected = read_request.status == STATUS_SUCCESS ? 0 : CHARACTERS - read_request.filled;
  assert(buffer_count == expected);
  pthread_mutex_unlock(&port_lock);
}

static void check_counters(void) {
  assert(counters.received == CHARACTERS);
  assert(counters.overruns == 0);
  assert(counters.parity_errors == 0);
  assert(counters.reads + counters.cancelled == 1);
  assert(read_request.completions == 1);
}

int main(void) {
  pthread_t service, other_side;
  configure();
  refused();
  greet();
  pthread_create(&service, NULL, interrupt_service, NULL);
  pthread_create(&other_side, NULL, line, NULL);
  read_with_timeout();
  pthread_join(other_side, NULL);
  pthread_join(service, NULL);
  check_counters();
  check_buffer();
  return 0;
}
