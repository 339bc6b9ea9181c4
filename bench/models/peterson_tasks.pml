/* Peterson's mutual exclusion for 4 processes (the filter lock) with a process for each: the protocol
 * of bench/src/peterson.rs, where variables are read one by one. */
byte level[4];
byte last[4];
byte inside;

active [4] proctype process()
{
  byte l, k;
  do
  :: d_step { l < 3 -> l++; level[_pid] = l };
     d_step { last[l] = _pid; k = (_pid == 0) };
     do
     :: d_step { k < 4 && level[k] < l -> k++; k = (k == _pid -> k + 1 : k) }
     :: k < 4 && level[k] >= l ->
        if
        :: last[l] == _pid
        :: last[l] != _pid -> k = 0; break
        fi
     :: k == 4 -> k = 0; break
     od
  :: d_step { l == 3 -> inside++; assert(inside == 1) };
     d_step { inside--; level[_pid] = 0; l = 0 }
  od
}
