/* Leader election in a unidirectional ring (Dolev, Klawe and Rodeh), for every assignment of ids: the
 * protocol of bench/src/reduction/ring.rs and bench/models/ring.p. */
#ifndef N
#define N 5
#endif
mtype = { one, two, winner };
chan link[N] = [4] of { mtype, byte };
byte leaders;

proctype node(chan from, to; byte id)
{
  byte max = id, left, nr;
  bit alive = 1, known;
  xr from;
  xs to;
  to!one(id);
end:
  do
  :: from?one(nr) ->
     if
     :: !alive -> to!one(nr)
     :: alive && nr == max -> known = 1; to!winner(nr)
     :: alive && nr != max -> left = nr; to!two(nr)
     fi
  :: from?two(nr) ->
     if
     :: !alive -> to!two(nr)
     :: alive && left > nr && left > max -> max = left; to!one(max)
     :: alive && !(left > nr && left > max) -> alive = 0
     fi
  :: from?winner(nr) ->
     if
     :: nr == id -> leaders++; assert(leaders == 1 && nr == N)
     :: nr != id
     fi;
     if
     :: known
     :: !known -> to!winner(nr)
     fi;
     break
  od
}

#define ASSIGN(x) :: d_step { N >= x && i < N && !(used & (1 << x)) -> ids[i] = x; used = used | (1 << x); i++ }

init
{
  byte i, ids[N];
  short used;
  do
  ASSIGN(1)
  ASSIGN(2)
  ASSIGN(3)
  ASSIGN(4)
  ASSIGN(5)
  ASSIGN(6)
  ASSIGN(7)
  ASSIGN(8)
  :: i == N -> break
  od;
  atomic {
    do
    :: i > 0 -> i--; run node(link[i], link[(i + 1) % N], ids[i]); ids[i] = 0
    :: i == 0 -> break
    od
  }
}
