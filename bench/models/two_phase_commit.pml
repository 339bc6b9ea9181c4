/* Two-phase commit as guarded actions, with N resource managers (-DN=7): the same states as the Rust
 * model in examples/two_phase_commit. One process holds all actions, so that the control state adds
 * none. */
#ifndef N
#define N 7
#endif

#define WORKING   0
#define PREPARED  1
#define COMMITTED 2
#define ABORTED   3

byte rm[N];
bit sent[N];    /* "prepared" was sent */
bit seen[N];    /* the transaction manager has received it */
byte seen_count;
bit commit, abort_;

#define ACTIONS(i) \
  :: d_step { !commit && !abort_ && sent[i] -> seen_count = seen_count + 1 - seen[i]; seen[i] = 1 } \
  :: d_step { rm[i] == WORKING -> rm[i] = PREPARED; sent[i] = 1 } \
  :: d_step { rm[i] == WORKING -> rm[i] = ABORTED } \
  :: d_step { commit -> rm[i] = COMMITTED } \
  :: d_step { abort_ -> rm[i] = ABORTED }

active proctype protocol()
{
end:
  do
  :: d_step { !commit && !abort_ && seen_count == N -> commit = 1 }
  :: d_step { !commit && !abort_ -> abort_ = 1 }
  ACTIONS(0)
  ACTIONS(1)
  ACTIONS(2)
#if N > 3
  ACTIONS(3)
#endif
#if N > 4
  ACTIONS(4)
#endif
#if N > 5
  ACTIONS(5)
#endif
#if N > 6
  ACTIONS(6)
#endif
#if N > 7
  ACTIONS(7)
#endif
#if N > 8
  ACTIONS(8)
#endif
  od
}
