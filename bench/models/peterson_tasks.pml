/* Peterson's mutual exclusion for N processes (the filter lock) with a process for each: the protocol
 * of bench/src/peterson.rs, where variables are read one by one. */
#ifndef N
#define N 4
#endif
byte level[N];
byte last[N];
byte inside;

active [N] proctype process()
{
  byte l, k;
  do
  :: d_step { l < N - 1 -> l++; level[_pid] = l };
     d_step { last[l] = _pid; k = (_pid == 0) };
     do
     :: d_step { k < N && level[k] < l -> k++; k = (k == _pid -> k + 1 : k) }
     :: k < N && level[k] >= l ->
        if
        :: last[l] == _pid
        :: last[l] != _pid -> k = 0; break
        fi
     :: k == N -> k = 0; break
     od
  :: d_step { l == N - 1 -> inside++; assert(inside == 1) };
     d_step { inside--; level[_pid] = 0; l = 0 }
  od
}
