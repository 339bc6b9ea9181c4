// A disk driver with three threads: an application that sends requests, the device that completes them, and a manager that
// stops the device. A request that is dispatched while the device stops either is refused, or is completed before the stop ends.
//
// With -D STOP_BUG, the dispatch routine looks at `stopping` before it takes its reference: the manager may see no reference and stop
// the device in between, and the request then reaches hardware that is off.
//
// check: proved
// check -D STOP_BUG: bug 1
#include <assert.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---------------------------------------------------------------- Codes ---------------------------------------------------- */

enum status {
  STATUS_SUCCESS = 0,
  STATUS_PENDING = 1,
  STATUS_DEVICE_STOPPED = -1,
  STATUS_INVALID_PARAMETER = -2,
  STATUS_QUEUE_FULL = -3,
  STATUS_NOT_SUPPORTED = -4,
  STATUS_MEDIA_ERROR = -5,
  STATUS_WRITE_PROTECTED = -6,
};

enum operation {
  OPERATION_READ,
  OPERATION_WRITE,
  OPERATION_FLUSH,
  OPERATION_QUERY,
  OPERATIONS,
};

enum query {
  QUERY_CAPACITY,
  QUERY_BLOCK_SIZE,
  QUERY_REVISION,
  QUERY_SERIAL,
  QUERIES,
};

enum power {
  POWER_OFF,
  POWER_ON,
};

/* Registers of the controller. */
enum {
  COMMAND_NONE = 0x00,
  COMMAND_READ = 0x28,
  COMMAND_WRITE = 0x2a,
  COMMAND_SYNCHRONIZE = 0x35,
  STATUS_READY = 0x40,
  STATUS_BUSY = 0x80,
  STATUS_ERROR = 0x01,
};

enum {
  BLOCKS = 4,
  BLOCK_SIZE = 512,
  REVISION = 0x0102,
  SERIAL = 0x1234,
  DEPTH = 2,        /* of the queue */
  MOST_RETRIES = 1,
};

/* ---------------------------------------------------------------- Data ----------------------------------------------------- */

struct request {
  enum operation operation;
  unsigned block;
  unsigned count;
  uint8_t value;      /* what is written, or was read */
  unsigned query;
  unsigned answer;
  enum status status;
  bool completed;
};

struct statistics {
  unsigned dispatched;
  unsigned completed;
  unsigned refused;
  unsigned retried;
};

struct registers {
  uint8_t command;
  uint8_t status;
  unsigned block;
  uint8_t data;
};

/* The requests of the application. */
enum { REQUESTS = 2 };
static struct request requests[REQUESTS];

/* The lock of the device protects the queue, the statistics and the registers. */
static pthread_mutex_t device_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t device_work = PTHREAD_COND_INITIALIZER;
static pthread_cond_t device_done = PTHREAD_COND_INITIALIZER;

static int queue[DEPTH];      /* numbers of requests */
static unsigned queue_first;
static unsigned queue_count;
static struct statistics statistics;
static struct registers registers;
static uint8_t medium[BLOCKS];
static bool write_protected;
static enum power power = POWER_ON;
static bool closing;          /* the device thread ends */

/* The lock of references protects these three. A reference is held by everything that is between dispatch and completion; the driver
   itself holds the first one until it stops. */
static pthread_mutex_t reference_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t no_references = PTHREAD_COND_INITIALIZER;
static unsigned references = 1;
static bool stopping;

/* ---------------------------------------------------------------- References ----------------------------------------------- */

/* Takes a reference, unless the device stops. */
static enum status acquire(void) {
#ifdef STOP_BUG
  if (stopping)               /* the bug: nothing keeps the device from stopping after this test */
    return STATUS_DEVICE_STOPPED;
  pthread_mutex_lock(&reference_lock);
  references++;
  pthread_mutex_unlock(&reference_lock);
  return STATUS_SUCCESS;
#else
  enum status status = STATUS_SUCCESS;
  pthread_mutex_lock(&reference_lock);
  if (stopping)
    status = STATUS_DEVICE_STOPPED;
  else
    references++;
  pthread_mutex_unlock(&reference_lock);
  return status;
#endif
}

static void release(void) {
  pthread_mutex_lock(&reference_lock);
  assert(references > 0);
  references--;
  if (references == 0)
    pthread_cond_signal(&no_references);
  pthread_mutex_unlock(&reference_lock);
}

/* Refuses new references, gives up the first one, and waits for the others. */
static void release_and_wait(void) {
  pthread_mutex_lock(&reference_lock);
  stopping = true;
  references--;
  while (references > 0)
    pthread_cond_wait(&no_references, &reference_lock);
  pthread_mutex_unlock(&reference_lock);
}

/* ---------------------------------------------------------------- Queue ---------------------------------------------------- */

/* The following functions are called with the lock of the device. */

static bool queue_is_full(void) { return queue_count == DEPTH; }

static bool queue_is_empty(void) { return queue_count == 0; }

static void queue_add(int number) {
  assert(!queue_is_full());
  queue[(queue_first + queue_count) % DEPTH] = number;
  queue_count++;
}

static int queue_take(void) {
  assert(!queue_is_empty());
  int number = queue[queue_first];
  queue_first = (queue_first + 1) % DEPTH;
  queue_count--;
  return number;
}

/* ---------------------------------------------------------------- Hardware ------------------------------------------------- */

static void hardware_reset(void) {
  registers.command = COMMAND_NONE;
  registers.status = STATUS_READY;
  registers.block = 0;
  registers.data = 0;
}

static bool hardware_is_ready(void) {
  return (registers.status & STATUS_READY) != 0 && (registers.status & STATUS_BUSY) == 0;
}

static void hardware_read(void) {
  if (registers.block >= BLOCKS) {
    registers.status |= STATUS_ERROR;
    return;
  }
  registers.data = medium[registers.block];
}

static void hardware_write(void) {
  if (registers.block >= BLOCKS || write_protected) {
    registers.status |= STATUS_ERROR;
    return;
  }
  medium[registers.block] = registers.data;
}

/* Executes the command in the registers. */
static void hardware_execute(void) {
  assert(power == POWER_ON);  /* a command to a device that is off hangs the bus */
  registers.status = STATUS_READY | STATUS_BUSY;
  switch (registers.command) {
  case COMMAND_READ:
    hardware_read();
    break;
  case COMMAND_WRITE:
    hardware_write();
    break;
  case COMMAND_SYNCHRONIZE:
    break;
  default:
    registers.status |= STATUS_ERROR;
    break;
  }
  registers.status &= (uint8_t)~STATUS_BUSY;
  registers.command = COMMAND_NONE;
}

static void hardware_power(enum power wanted) {
  power = wanted;
  if (wanted == POWER_ON)
    hardware_reset();
}

/* ---------------------------------------------------------------- Execution of requests ------------------------------------ */

static enum status error_of_hardware(enum operation operation) {
  if ((registers.status & STATUS_ERROR) == 0)
    return STATUS_SUCCESS;
  if (operation == OPERATION_WRITE && write_protected)
    return STATUS_WRITE_PROTECTED;
  return STATUS_MEDIA_ERROR;
}

static enum status execute_read(struct request *request) {
  registers.block = request->block;
  registers.command = COMMAND_READ;
  hardware_execute();
  request->value = registers.data;
  return error_of_hardware(OPERATION_READ);
}

static enum status execute_write(struct request *request) {
  registers.block = request->block;
  registers.data = request->value;
  registers.command = COMMAND_WRITE;
  hardware_execute();
  return error_of_hardware(OPERATION_WRITE);
}

static enum status execute_flush(struct request *request) {
  (void)request;
  registers.command = COMMAND_SYNCHRONIZE;
  hardware_execute();
  return error_of_hardware(OPERATION_FLUSH);
}

static enum status execute(struct request *request) {
  if (!hardware_is_ready())
    hardware_reset();
  switch (request->operation) {
  case OPERATION_READ:
    return execute_read(request);
  case OPERATION_WRITE:
    return execute_write(request);
  case OPERATION_FLUSH:
    return execute_flush(request);
  default:
    return STATUS_NOT_SUPPORTED;
  }
}

/* Executes a request, and repeats it after an error of the medium. */
static enum status execute_with_retries(struct request *request) {
  enum status status = execute(request);
  for (int retries = 0; status == STATUS_MEDIA_ERROR && retries < MOST_RETRIES; retries++) {
    statistics.retried++;
    hardware_reset();
    status = execute(request);
  }
  return status;
}

/* ---------------------------------------------------------------- Completion ----------------------------------------------- */

static void complete(struct request *request, enum status status) {
  assert(!request->completed);
  request->status = status;
  request->completed = true;
  statistics.completed++;
  pthread_cond_broadcast(&device_done);
}

/* ---------------------------------------------------------------- Dispatch ------------------------------------------------- */

static enum status check_blocks(const struct request *request) {
  if (request->count == 0 || request->count > BLOCKS)
    return STATUS_INVALID_PARAMETER;
  if (request->block > BLOCKS - request->count)
    return STATUS_INVALID_PARAMETER;
  return STATUS_SUCCESS;
}

/* Puts a request into the queue of the device. The caller holds a reference, which the completion gives back. */
static enum status enqueue(int number) {
  enum status status = STATUS_PENDING;
  pthread_mutex_lock(&device_lock);
  if (queue_is_full()) {
    status = STATUS_QUEUE_FULL;
    statistics.refused++;
  } else {
    queue_add(number);
    statistics.dispatched++;
    pthread_cond_signal(&device_work);
  }
  pthread_mutex_unlock(&device_lock);
  return status;
}

static enum status dispatch_transfer(int number) {
  enum status status = check_blocks(&requests[number]);
  if (status != STATUS_SUCCESS)
    return status;
  return enqueue(number);
}

static enum status dispatch_flush(int number) { return enqueue(number); }

/* Answers at once: no hardware is needed. */
static enum status dispatch_query(int number) {
  struct request *request = &requests[number];
  switch (request->query) {
  case QUERY_CAPACITY:
    request->answer = BLOCKS;
    break;
  case QUERY_BLOCK_SIZE:
    request->answer = BLOCK_SIZE;
    break;
  case QUERY_REVISION:
    request->answer = REVISION;
    break;
  case QUERY_SERIAL:
    request->answer = SERIAL;
    break;
  default:
    return STATUS_INVALID_PARAMETER;
  }
  return STATUS_SUCCESS;
}

/* The entry of the driver. A request that is pending is completed later. */
static enum status dispatch(int number) {
  enum status status = acquire();
  if (status != STATUS_SUCCESS)
    return status;
  switch (requests[number].operation) {
  case OPERATION_READ:
  case OPERATION_WRITE:
    status = dispatch_transfer(number);
    break;
  case OPERATION_FLUSH:
    status = dispatch_flush(number);
    break;
  case OPERATION_QUERY:
    status = dispatch_query(number);
    break;
  default:
    status = STATUS_NOT_SUPPORTED;
    break;
  }
  if (status != STATUS_PENDING)
    release();
  return status;
}

/* ---------------------------------------------------------------- The device ----------------------------------------------- */

static void *device(void *unused) {
  (void)unused;
  pthread_mutex_lock(&device_lock);
  while (!closing || !queue_is_empty()) {
    if (queue_is_empty()) {
      pthread_cond_wait(&device_work, &device_lock);
      continue;
    }
    struct request *request = &requests[queue_take()];
    enum status status = execute_with_retries(request);
    complete(request, status);
    release();
  }
  pthread_mutex_unlock(&device_lock);
  return NULL;
}

/* ---------------------------------------------------------------- The manager ---------------------------------------------- */

/* Stops the device: afterwards nothing may reach the hardware. */
static void *manager(void *unused) {
  (void)unused;
  release_and_wait();
  pthread_mutex_lock(&device_lock);
  assert(queue_is_empty());
  hardware_power(POWER_OFF);
  pthread_mutex_unlock(&device_lock);
  return NULL;
}

/* ---------------------------------------------------------------- The application ------------------------------------------ */

static void prepare_write(int number, unsigned block, uint8_t value) {
  struct request *request = &requests[number];
  request->operation = OPERATION_WRITE;
  request->block = block;
  request->count = 1;
  request->value = value;
}

static void prepare_read(int number, unsigned block) {
  struct request *request = &requests[number];
  request->operation = OPERATION_READ;
  request->block = block;
  request->count = 1;
}

/* Sends a request, and waits until it is completed. */
static enum status perform(int number) {
  enum status status = dispatch(number);
  if (status != STATUS_PENDING)
    return status;
  pthread_mutex_lock(&device_lock);
  while (!requests[number].completed)
    pthread_cond_wait(&device_done, &device_lock);
  status = requests[number].status;
  pthread_mutex_unlock(&device_lock);
  return status;
}

/* Requests that need no hardware, or that the driver refuses. */
static void probe(void) {
  struct request *request = &requests[0];
  request->operation = OPERATION_QUERY;
  request->query = QUERY_CAPACITY;
  enum status status = perform(0);
  assert(status == STATUS_SUCCESS || status == STATUS_DEVICE_STOPPED);
  if (status == STATUS_SUCCESS)
    assert(request->answer == BLOCKS);
  request->operation = OPERATION_READ;
  request->block = BLOCKS;
  request->count = 1;
  status = perform(0);
  assert(status == STATUS_INVALID_PARAMETER || status == STATUS_DEVICE_STOPPED);
}

static void application(void) {
  probe();
  prepare_write(0, 1, 7);
  enum status written = perform(0);
  assert(written == STATUS_SUCCESS || written == STATUS_DEVICE_STOPPED);
  prepare_read(1, 1);
  enum status read = perform(1);
  assert(read == STATUS_SUCCESS || read == STATUS_DEVICE_STOPPED);
  if (read == STATUS_SUCCESS) {
    assert(written == STATUS_SUCCESS);  /* a device that has stopped stays so */
    assert(requests[1].value == 7);
  }
}

int main(void) {
  pthread_t device_thread, manager_thread;
  hardware_power(POWER_ON);
  pthread_create(&device_thread, NULL, device, NULL);
  pthread_create(&manager_thread, NULL, manager, NULL);
  application();
  pthread_join(manager_thread, NULL);
  pthread_mutex_lock(&device_lock);
  closing = true;
  pthread_cond_signal(&device_work);
  pthread_mutex_unlock(&device_lock);
  pthread_join(device_thread, NULL);
  assert(statistics.dispatched == statistics.completed);
  assert(power == POWER_OFF);
  return 0;
}
