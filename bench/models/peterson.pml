/* Peterson's mutual exclusion for 4 processes (the filter lock) as guarded actions: the same states as
 * the Rust model in bench/src/peterson.rs. */
#define IDLE 0
#define ENTER 1
#define WAIT 2
#define CRITICAL 3

byte phase[4];
byte level[4];
byte last[4];

#define BELOW(k, i) (k == i || level[k] < level[i])
#define FREE(i) (last[level[i]] != i || (BELOW(0, i) && BELOW(1, i) && BELOW(2, i) && BELOW(3, i)))

#define ACTIONS(i) \
  :: d_step { phase[i] == IDLE -> level[i] = 1; phase[i] = ENTER } \
  :: d_step { phase[i] == ENTER -> last[level[i]] = i; phase[i] = WAIT } \
  :: d_step { phase[i] == WAIT && level[i] < 3 && FREE(i) -> level[i] = level[i] + 1; phase[i] = ENTER } \
  :: d_step { phase[i] == WAIT && level[i] == 3 && FREE(i) -> phase[i] = CRITICAL } \
  :: d_step { phase[i] == CRITICAL -> level[i] = 0; phase[i] = IDLE }

active proctype protocol()
{
  do
  ACTIONS(0)
  ACTIONS(1)
  ACTIONS(2)
  ACTIONS(3)
  od
}
