#ifndef __DALLY_DALLY_H
#define __DALLY_DALLY_H
/* Event-driven programs: tasks with levels and buffers, interrupts, timers, requests. docs/c.md explains all of it. */

/* Entry points: functions without parameters, which begin as tasks of a buffer. `main`, if there is one, begins in buffer 0. */
#define DALLY_ENTRY(buffer) __attribute__((__dally_entry__(buffer, 0)))
#define DALLY_ENTRY_AT(buffer, level) __attribute__((__dally_entry__(buffer, level)))

/* Posts a task that calls f(argument): at the level of the poster, at a level, or at a level in another buffer. Levels and buffers
   are constants. A task of a higher level interrupts the poster at once. */
#define dally_post(f, argument) __dally_post(-1, -1, f, argument)
#define dally_post_at(level, f, argument) __dally_post(level, -1, f, argument)
#define dally_post_to(buffer, level, f, argument) __dally_post(level, buffer, f, argument)

/* Other tasks of the same level may run here; other buffers may. */
#define dally_yield() __dally_yield()
#define dally_zield() __dally_zield()
/* Blocks until the condition holds, and goes on without a switch. */
#define dally_await(condition) __dally_await(condition, "the condition " #condition)

/* No switches and no interrupts in between. */
#define dally_atomic_begin() __dally_atomic_begin()
#define dally_atomic_end() __dally_atomic_end()
/* No task is delayed in between. */
#define dally_seal() __dally_seal()
#define dally_unseal() __dally_unseal()

/* Handlers of interrupts: functions without parameters and result, at a level of at least 1, in buffer 0 or in a buffer. One may fire
   any time while it is enabled, or once after each time that it is raised. None interrupts itself, or a task of its level. */
#define DALLY_INTERRUPT(level) __attribute__((__dally_interrupt__(0, level)))
#define DALLY_INTERRUPT_IN(buffer, level) __attribute__((__dally_interrupt__(buffer, level)))
#define DALLY_RAISED_INTERRUPT(level) __attribute__((__dally_raised__(0, level)))
#define DALLY_RAISED_INTERRUPT_IN(buffer, level) __attribute__((__dally_raised__(buffer, level)))
#define dally_enable(handler) __dally_enable(handler)
#define dally_disable(handler) __dally_disable(handler)
#define dally_raise(handler) __dally_raise(handler)
#define dally_is_raised(handler) __dally_is_raised(handler)
#define dally_interrupts_off() __dally_interrupts_off()
#define dally_interrupts_on() __dally_interrupts_on()

/* Timers: handlers that run once after each start, at some time. To cancel one returns 1 if its handler will not run. */
#define DALLY_TIMER(level) __attribute__((__dally_timer__(0, level)))
#define DALLY_TIMER_IN(buffer, level) __attribute__((__dally_timer__(buffer, level)))
#define dally_timer_start(handler) __dally_raise(handler)
#define dally_timer_cancel(handler) __dally_clear(handler)
#define dally_timer_is_pending(handler) __dally_is_raised(handler)

/* No scheduling points are inserted into a function, or into tasks of these levels. */
#define DALLY_NO_YIELDS __attribute__((__dally_noyield__))
#define DALLY_NO_ZIELDS __attribute__((__dally_nozield__))
#define DALLY_NO_YIELDS_AT(...) __attribute__((__dally_noyield__(__VA_ARGS__)))
#define DALLY_NO_ZIELDS_AT(...) __attribute__((__dally_nozield__(__VA_ARGS__)))

#define DALLY_REQUEST_INITIALIZER { 0, 0 }
#endif
