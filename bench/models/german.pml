/* German's cache coherence protocol with three clients that ask once: the protocol of
 * bench/src/reduction/german.rs and examples/p/german_fixed.p. */
mtype = { grant, invalidate };
chan asks = [3] of { byte, bit };
chan acks = [3] of { byte };
chan to[3] = [2] of { mtype, bit };
byte readers, writers;

proctype client(chan in; byte me)
{
  bit write;
  xr in;
  if
  :: asks!me, 1
  :: asks!me, 0
  fi;
end:
  in?grant(write);
  d_step {
    if
    :: write -> writers++
    :: else -> readers++
    fi;
    assert(writers == 0 || writers == 1 && readers == 0)
  };
end_holds:
  in?invalidate(_);
  d_step {
    if
    :: write -> writers--
    :: else -> readers--
    fi
  };
  acks!me
}

#define INVALIDATE(c, i) \
  if \
  :: (sharers & (1 << i)) -> waiting++; c!invalidate(0) \
  :: !(sharers & (1 << i)) \
  fi

proctype host(chan c0, c1, c2)
{
  byte sharers, who, waiting, from;
  bit write, exclusive;
  xr asks;
  xr acks;
  xs c0;
  xs c1;
  xs c2;
end:
  do
  :: asks?who, write ->
     if
     :: write || exclusive -> INVALIDATE(c0, 0); INVALIDATE(c1, 1); INVALIDATE(c2, 2)
     :: !(write || exclusive)
     fi;
     do
     :: waiting > 0 -> acks?from; d_step { sharers = sharers & ~(1 << from); waiting--; from = 0 }
     :: waiting == 0 -> break
     od;
     exclusive = write;
     sharers = sharers | (1 << who);
     if
     :: who == 0 -> c0!grant(write)
     :: who == 1 -> c1!grant(write)
     :: who == 2 -> c2!grant(write)
     fi
  od
}

init
{
  atomic {
    run host(to[0], to[1], to[2]);
    run client(to[0], 0);
    run client(to[1], 1);
    run client(to[2], 2)
  }
}
