/* Two-phase commit with separate processes and channels, two transactions: the protocol of
 * bench/src/reduction/commit.rs and examples/p/two_phase_commit_fixed.p. */
#ifndef N
#define N 2
#endif
mtype = { prepare, commit, abort, vote, timer };
chan to[N] = [4] of { mtype, byte };
chan fire = [2] of { byte };
chan inbox = [2 * N + 2] of { mtype, byte, byte, bit };
bit refused[3];

proctype participant(chan in; byte me)
{
  byte id;
  xr in;
end:
  do
  :: in?prepare(id) ->
     if
     :: inbox!vote(id, me, 1)
     :: atomic { inbox!vote(id, me, 0); refused[id] = 1 }
     fi
  :: in?commit(id)
  :: in?abort(id)
  od
}

proctype clock()
{
  byte id;
  xr fire;
end:
  do
  :: fire?id ->
     if
     :: inbox!timer(id, 0, 0)
     :: skip
     fi
  od
}

proctype coordinator(chan first, second, third)
{
  byte id, votes, about;
  bit yes;
  mtype what, kind;
  xr inbox;
  xs fire;
  xs first;
  xs second;
#if N > 2
  xs third;
#endif
  do
  :: d_step { id < 2 -> id++; votes = 0 };
     first!prepare(id);
     second!prepare(id);
#if N > 2
     third!prepare(id);
#endif
     fire!id;
end:
     do
     :: inbox?kind(about, _, yes) ->
        if
        :: about != id
        :: about == id && (kind == timer || !yes) -> what = abort; break
        :: about == id && kind == vote && yes ->
           votes++;
           if
           :: votes == N -> what = commit; break
           :: votes != N
           fi
        fi
     od;
     if
     :: what == abort
     :: what == commit -> assert(!refused[id])
     fi;
     first!what(id);
     second!what(id);
#if N > 2
     third!what(id);
#endif
     skip
  :: id == 2 -> break
  od;
end_done:
  do
  :: inbox?kind(about, _, yes)
  od
}

init
{
  byte i;
  atomic {
    run clock();
    do
    :: i < N -> run participant(to[i], i); i++
    :: i == N -> i = 0; break
    od;
    run coordinator(to[0], to[1], to[N - 1])
  }
}
