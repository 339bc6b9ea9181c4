/* Peterson's mutual exclusion for 4 processes (the filter lock) with a process for each: the protocol
 * of bench/src/peterson.rs, where variables are read one by one. */
byte level[4];
byte last[4];
byte inside;

active [4] proctype process()
{
  byte l, k;
  do
  :: d_step { l = 1; level[_pid] = 1 };
enter:
     d_step { last[l] = _pid; k = 0 };
     do
     :: k < 4 && k == _pid -> k++
     :: k < 4 && k != _pid ->
check:
        if
        :: level[k] < l -> k++
        :: level[k] >= l ->
           if
           :: last[l] == _pid -> goto check
           :: last[l] != _pid -> break
           fi
        fi
     :: k == 4 -> break
     od;
     if
     :: l < 3 -> l++; level[_pid] = l; goto enter
     :: l == 3
     fi;
     d_step { inside++; assert(inside == 1) };
     d_step { inside--; level[_pid] = 0; l = 0; k = 0 }
  od
}
