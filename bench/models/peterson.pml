/* Peterson's mutual exclusion for 4 processes (the filter lock) as guarded actions: the same states as
 * the Rust model in bench/src/peterson.rs, where variables are read one by one. */
#define IDLE 0
#define ENTER 1
#define WAIT 2
#define CRITICAL 3
#define CHECK 4

byte phase[4];
byte level[4];
byte seen[4];
byte last[4];

#define RISE(i) \
  seen[i] = 0; \
  if \
  :: level[i] == 3 -> phase[i] = CRITICAL \
  :: else -> level[i] = level[i] + 1; phase[i] = ENTER \
  fi

#define ACTIONS(i) \
  :: d_step { phase[i] == IDLE -> level[i] = 1; phase[i] = ENTER } \
  :: d_step { phase[i] == ENTER -> last[level[i]] = i; phase[i] = WAIT } \
  :: d_step { phase[i] == WAIT -> \
       if \
       :: seen[i] != i && level[seen[i]] >= level[i] -> phase[i] = CHECK \
       :: else -> \
          if \
          :: seen[i] == 3 -> RISE(i) \
          :: else -> seen[i] = seen[i] + 1 \
          fi \
       fi } \
  :: d_step { phase[i] == CHECK -> \
       if \
       :: last[level[i]] != i -> RISE(i) \
       :: else -> phase[i] = WAIT \
       fi } \
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
