// A driver of a network card with three threads: the network stack that sends packets, the clock that runs the watchdog timer, and the
// manager that removes the card. The removal frees the context of the card, and so has to wait for a watchdog that runs.
//
// With -D REMOVE_BUG, the removal deletes the timer, but does not wait for its handler: the handler then uses memory that was freed.
//
// check: proved
// check -D REMOVE_BUG --no-reduction: bug 1
#include <assert.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* ---------------------------------------------------------------- Codes ---------------------------------------------------- */

enum status {
  STATUS_SUCCESS = 0,
  STATUS_REMOVED = -1,
  STATUS_NO_ROOM = -2,
  STATUS_TOO_LONG = -3,
  STATUS_LINK_DOWN = -4,
  STATUS_INVALID_PARAMETER = -5,
  STATUS_FILTERED = -6,
};

enum link {
  LINK_DOWN,
  LINK_UP,
};

enum control {
  CONTROL_SET_PROMISCUOUS,
  CONTROL_GET_STATISTICS,
  CONTROL_SET_LINK,
};

enum {
  DESCRIPTORS = 2,          /* of the ring */
  LONGEST = 4,              /* bytes of a packet */
  ADDRESS = 2,              /* bytes of a station's address */
  PATIENCE = 1,             /* ticks of the watchdog without progress */
};

/* The card owns a descriptor, or the driver does. */
enum owner {
  OWNED_BY_DRIVER,
  OWNED_BY_CARD,
};

/* ---------------------------------------------------------------- Data ----------------------------------------------------- */

struct packet {
  uint8_t to[ADDRESS];
  uint8_t data[LONGEST];
  unsigned length;
};

struct descriptor {
  enum owner owner;
  struct packet packet;
  uint8_t sum;
};

struct statistics {
  unsigned sent;
  unsigned bytes;
  unsigned dropped;
  unsigned resets;
  unsigned too_long;
  unsigned received;
  unsigned filtered;
};

/* The context of one card, which exists as long as the card is there. */
struct card {
  pthread_mutex_t lock;     /* protects all that follows */
  struct descriptor ring[DESCRIPTORS];
  unsigned next;            /* descriptor to be used */
  unsigned dirty;           /* descriptor to be cleaned */
  unsigned used;
  enum link link;
  bool promiscuous;
  uint32_t groups;          /* that the card belongs to */
  uint8_t address[ADDRESS];
  unsigned idle_ticks;      /* since the last progress */
  struct statistics statistics;
};

/* A timer of the kernel. */
struct timer {
  bool armed;
  bool running;             /* its handler runs */
  void (*handler)(struct card *card);
};

/* The lock of the kernel protects the timer, the registration and the references to the card. */
static pthread_mutex_t kernel_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t handler_has_ended = PTHREAD_COND_INITIALIZER;
static pthread_cond_t nobody_sends = PTHREAD_COND_INITIALIZER;
static struct timer watchdog;
static struct card *registered;
static unsigned senders;    /* that use the card */

/* ---------------------------------------------------------------- Timers --------------------------------------------------- */

static void kernel_timer_start(void (*handler)(struct card *)) {
  pthread_mutex_lock(&kernel_lock);
  watchdog.handler = handler;
  watchdog.armed = true;
  pthread_mutex_unlock(&kernel_lock);
}

/* The timer fires no more. Its handler may still run. */
static void kernel_timer_delete(void) {
  pthread_mutex_lock(&kernel_lock);
  watchdog.armed = false;
  pthread_mutex_unlock(&kernel_lock);
}

/* The timer fires no more, and its handler does not run. */
static void kernel_kernel_timer_delete_and_wait(void) {
  pthread_mutex_lock(&kernel_lock);
  watchdog.armed = false;
  while (watchdog.running)
    pthread_cond_wait(&handler_has_ended, &kernel_lock);
  pthread_mutex_unlock(&kernel_lock);
}

/* The time of the timer has come. */
static void kernel_timer_fire(void) {
  struct card *card = NULL;
  void (*handler)(struct card *) = NULL;
  pthread_mutex_lock(&kernel_lock);
  if (watchdog.armed) {
    watchdog.running = true;
    handler = watchdog.handler;
    card = registered;
  }
  pthread_mutex_unlock(&kernel_lock);
  if (handler == NULL)
    return;
  handler(card);
  pthread_mutex_lock(&kernel_lock);
  watchdog.running = false;
  pthread_cond_broadcast(&handler_has_ended);
  pthread_mutex_unlock(&kernel_lock);
}

/* ---------------------------------------------------------------- The ring ------------------------------------------------- */

/* The functions on the ring are called with the lock of the card. */

static bool ring_is_full(const struct card *card) { return card->used == DESCRIPTORS; }

static bool ring_is_empty(const struct card *card) { return card->used == 0; }

static uint8_t sum_of(const struct packet *packet) {
  unsigned sum = 0;
  for (unsigned i = 0; i < packet->length; i++)
    sum += packet->data[i];
  return (uint8_t)(sum & 0xff);
}

static void ring_add(struct card *card, const struct packet *packet) {
  struct descriptor *descriptor = &card->ring[card->next];
  assert(descriptor->owner == OWNED_BY_DRIVER);
  descriptor->packet.length = packet->length;
  for (unsigned i = 0; i < packet->length; i++)
    descriptor->packet.data[i] = packet->data[i];
  for (unsigned i = 0; i < ADDRESS; i++)
    descriptor->packet.to[i] = packet->to[i];
  descriptor->sum = sum_of(packet);
  descriptor->owner = OWNED_BY_CARD;
  card->next = (card->next + 1) % DESCRIPTORS;
  card->used++;
}

/* Takes back the descriptors that the card has sent. */
static void ring_clean(struct card *card) {
  while (!ring_is_empty(card)) {
    struct descriptor *descriptor = &card->ring[card->dirty];
    if (descriptor->owner == OWNED_BY_CARD)
      break;
    card->statistics.sent++;
    card->statistics.bytes += descriptor->packet.length;
    card->dirty = (card->dirty + 1) % DESCRIPTORS;
    card->used--;
    card->idle_ticks = 0;
  }
}

/* Drops everything. */
static void ring_reset(struct card *card) {
  for (unsigned i = 0; i < DESCRIPTORS; i++)
    card->ring[i].owner = OWNED_BY_DRIVER;
  card->statistics.dropped += card->used;
  card->next = 0;
  card->dirty = 0;
  card->used = 0;
}

/* ---------------------------------------------------------------- Hardware ------------------------------------------------- */

/* The card sends what it owns, if there is a link. Called with its lock. */
static void hardware_send(struct card *card) {
  if (card->link == LINK_DOWN)
    return;
  for (unsigned i = 0; i < DESCRIPTORS; i++) {
    struct descriptor *descriptor = &card->ring[i];
    if (descriptor->owner == OWNED_BY_CARD) {
      assert(descriptor->sum == sum_of(&descriptor->packet));
      descriptor->owner = OWNED_BY_DRIVER;
    }
  }
}

static void hardware_reset(struct card *card) {
  ring_reset(card);
  card->link = LINK_UP;
  card->idle_ticks = 0;
  card->statistics.resets++;
}

/* ---------------------------------------------------------------- The watchdog --------------------------------------------- */

/* Resets a card that makes no progress. */
static void watch(struct card *card) {
  pthread_mutex_lock(&card->lock);
  ring_clean(card);
  if (!ring_is_empty(card)) {
    card->idle_ticks++;
    if (card->idle_ticks > PATIENCE)
      hardware_reset(card);
  }
  pthread_mutex_unlock(&card->lock);
}

static void *clock_thread(void *unused) {
  (void)unused;
  kernel_timer_fire();
  return NULL;
}

/* ---------------------------------------------------------------- Sending -------------------------------------------------- */

/* Takes a reference to the card, if it is there. */
static struct card *card_get(void) {
  pthread_mutex_lock(&kernel_lock);
  struct card *card = registered;
  if (card != NULL)
    senders++;
  pthread_mutex_unlock(&kernel_lock);
  return card;
}

static void card_put(void) {
  pthread_mutex_lock(&kernel_lock);
  assert(senders > 0);
  senders--;
  if (senders == 0)
    pthread_cond_signal(&nobody_sends);
  pthread_mutex_unlock(&kernel_lock);
}

/* Called with the lock of the card. */
static enum status send_locked(struct card *card, const struct packet *packet) {
  if (packet->length > LONGEST) {
    card->statistics.too_long++;
    return STATUS_TOO_LONG;
  }
  if (card->link == LINK_DOWN)
    return STATUS_LINK_DOWN;
  ring_clean(card);
  if (ring_is_full(card)) {
    card->statistics.dropped++;
    return STATUS_NO_ROOM;
  }
  ring_add(card, packet);
  hardware_send(card);
  return STATUS_SUCCESS;
}

static enum status send(const struct packet *packet) {
  struct card *card = card_get();
  if (card == NULL)
    return STATUS_REMOVED;
  pthread_mutex_lock(&card->lock);
  enum status status = send_locked(card, packet);
  pthread_mutex_unlock(&card->lock);
  card_put();
  return status;
}

/* ---------------------------------------------------------------- Receiving ------------------------------------------------ */

static bool is_broadcast(const uint8_t *address) {
  for (unsigned i = 0; i < ADDRESS; i++)
    if (address[i] != 0xff)
      return false;
  return true;
}

static bool is_multicast(const uint8_t *address) { return (address[0] & 0x01) != 0; }

static bool is_own(const struct card *card, const uint8_t *address) {
  for (unsigned i = 0; i < ADDRESS; i++)
    if (address[i] != card->address[i])
      return false;
  return true;
}

/* The groups whose packets are received, as a set of hashes. */
static unsigned hash_of(const uint8_t *address) {
  unsigned hash = 0;
  for (unsigned i = 0; i < ADDRESS; i++)
    hash = (hash * 31 + address[i]) % 32;
  return hash;
}

static void join_group(struct card *card, const uint8_t *address) { card->groups |= 1u << hash_of(address); }

static bool is_in_group(const struct card *card, const uint8_t *address) {
  return (card->groups >> hash_of(address) & 1u) != 0;
}

/* Called with the lock of the card. */
static bool accepts(const struct card *card, const struct packet *packet) {
  if (card->promiscuous || is_broadcast(packet->to))
    return true;
  if (is_multicast(packet->to))
    return is_in_group(card, packet->to);
  return is_own(card, packet->to);
}

/* A packet comes from the network. */
static enum status receive(const struct packet *packet) {
  struct card *card = card_get();
  if (card == NULL)
    return STATUS_REMOVED;
  enum status status = STATUS_SUCCESS;
  pthread_mutex_lock(&card->lock);
  if (packet->length > LONGEST) {
    card->statistics.too_long++;
    status = STATUS_TOO_LONG;
  } else if (accepts(card, packet)) {
    card->statistics.received++;
  } else {
    card->statistics.filtered++;
    status = STATUS_FILTERED;
  }
  pthread_mutex_unlock(&card->lock);
  card_put();
  return status;
}

/* ---------------------------------------------------------------- Control -------------------------------------------------- */

/* Called with the lock of the card. */
static enum status control_locked(struct card *card, enum control control, unsigned value, unsigned *answer) {
  switch (control) {
  case CONTROL_SET_PROMISCUOUS:
    if (value > 1)
      return STATUS_INVALID_PARAMETER;
    card->promiscuous = value == 1;
    return STATUS_SUCCESS;
  case CONTROL_SET_LINK:
    if (value > 1)
      return STATUS_INVALID_PARAMETER;
    card->link = value == 1 ? LINK_UP : LINK_DOWN;
    return STATUS_SUCCESS;
  case CONTROL_GET_STATISTICS:
    if (answer == NULL)
      return STATUS_INVALID_PARAMETER;
    *answer = card->statistics.sent + card->used;
    return STATUS_SUCCESS;
  default:
    return STATUS_INVALID_PARAMETER;
  }
}

static enum status control(enum control control, unsigned value, unsigned *answer) {
  struct card *card = card_get();
  if (card == NULL)
    return STATUS_REMOVED;
  pthread_mutex_lock(&card->lock);
  enum status status = control_locked(card, control, value, answer);
  pthread_mutex_unlock(&card->lock);
  card_put();
  return status;
}

/* ---------------------------------------------------------------- Insertion and removal ------------------------------------ */

static void card_insert(void) {
  struct card *card = calloc(1, sizeof *card);
  pthread_mutex_init(&card->lock, NULL);
  card->link = LINK_UP;
  card->address[0] = 0x02;
  card->address[1] = 0x01;
  const uint8_t group[ADDRESS] = { 0x01, 0x05 };
  join_group(card, group);
  pthread_mutex_lock(&kernel_lock);
  registered = card;
  pthread_mutex_unlock(&kernel_lock);
  kernel_timer_start(watch);
}

/* Hides the card, and waits for those that use it. */
static struct card *card_hide(void) {
  pthread_mutex_lock(&kernel_lock);
  struct card *card = registered;
  registered = NULL;
  while (senders > 0)
    pthread_cond_wait(&nobody_sends, &kernel_lock);
  pthread_mutex_unlock(&kernel_lock);
  return card;
}

static void check_statistics(const struct card *card) {
  const struct statistics *statistics = &card->statistics;
  assert(statistics->dropped == 0);
  assert(statistics->resets == 0);
  assert(statistics->bytes <= statistics->sent * LONGEST);
}

static void *remove_card(void *unused) {
  (void)unused;
#ifdef REMOVE_BUG
  kernel_timer_delete();             /* the bug: the handler may still run */
#else
  kernel_kernel_timer_delete_and_wait();
#endif
  struct card *card = card_hide();
  check_statistics(card);
  pthread_mutex_destroy(&card->lock);
  free(card);
  return NULL;
}

/* ---------------------------------------------------------------- The network stack ---------------------------------------- */

static void make_packet(struct packet *packet, uint8_t first, unsigned length) {
  packet->to[0] = 0x02;
  packet->to[1] = 0x02;
  packet->length = length;
  for (unsigned i = 0; i < length && i < LONGEST; i++)
    packet->data[i] = (uint8_t)(first + i);
}

static void configure(void) {
  unsigned answer = 0;
  enum status status = control(CONTROL_SET_PROMISCUOUS, 0, NULL);
  assert(status == STATUS_SUCCESS);
  status = control(CONTROL_SET_LINK, 2, NULL);
  assert(status == STATUS_INVALID_PARAMETER);
  status = control(CONTROL_GET_STATISTICS, 0, &answer);
  assert(status == STATUS_SUCCESS && answer == 0);
}

/* Which packets the card accepts. */
static void check_filter(void) {
  struct packet packet;
  make_packet(&packet, 1, 1);
  assert(receive(&packet) == STATUS_FILTERED);    /* for another station */
  packet.to[1] = 0x01;
  assert(receive(&packet) == STATUS_SUCCESS);
  packet.to[0] = 0x01;
  packet.to[1] = 0x05;
  assert(receive(&packet) == STATUS_SUCCESS);     /* for the group */
  packet.to[0] = packet.to[1] = 0xff;
  assert(receive(&packet) == STATUS_SUCCESS);
}

static void stack(void) {
  struct packet packet;
  make_packet(&packet, 10, 2);
  enum status first = send(&packet);
  assert(first == STATUS_SUCCESS || first == STATUS_REMOVED);
  make_packet(&packet, 20, LONGEST + 1);
  enum status second = send(&packet);
  assert(second == STATUS_TOO_LONG || second == STATUS_REMOVED);
  assert(first == STATUS_SUCCESS || second == STATUS_REMOVED);
}

int main(void) {
  pthread_t clock, manager;
  card_insert();
  configure();
  check_filter();
  pthread_create(&clock, NULL, clock_thread, NULL);
  pthread_create(&manager, NULL, remove_card, NULL);
  stack();
  pthread_join(manager, NULL);
  pthread_join(clock, NULL);
  assert(registered == NULL);
  assert(senders == 0);
  return 0;
}
