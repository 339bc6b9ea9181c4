/* A sliding window protocol (go back N) over channels that lose messages: the protocol of
 * bench/src/reduction/window.rs and bench/models/window.p. */
#define ITEMS 6
#define WINDOW 2
#define NUMBERS 3
#ifndef RETRIES
#define RETRIES 3
#endif
/* As many messages as the sender can send while the receiver does not run. */
#define CAPACITY (WINDOW * (RETRIES + 1))
chan data = [CAPACITY] of { byte, byte };
chan acks = [CAPACITY] of { byte };

active proctype sender()
{
  byte base, next, retries, ack;
  xs data;
  xr acks;
  do
  :: next < base + WINDOW && next < ITEMS ->
     if
     :: data!next % NUMBERS, next
     :: skip
     fi;
     next++
  :: !(next < base + WINDOW && next < ITEMS) ->
     if
     :: acks?ack ->
        d_step {
          base = base + (ack + NUMBERS - base % NUMBERS) % NUMBERS;
          next = (next < base -> base : next);
          ack = 0
        }
     :: empty(acks) ->
        if
        :: d_step { retries < RETRIES && base < ITEMS -> retries++; next = base }
        :: !(retries < RETRIES && base < ITEMS) -> break
        fi
     fi
  od;
end:
  do
  :: acks?ack -> ack = 0
  od
}

active proctype receiver()
{
  byte expected, number, item;
  xr data;
end:
  do
  :: data?number, item ->
     d_step {
       if
       :: number == expected % NUMBERS -> assert(item == expected); expected++
       :: else
       fi;
       number = 0;
       item = 0
     };
     if
     :: acks!expected % NUMBERS
     :: skip
     fi
  od
}
