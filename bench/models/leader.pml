/* Leader election in a ring of 5 (Chang and Roberts), for every assignment of ids, as guarded actions:
 * the same states as the Rust model in bench/src/leader.rs. */
byte assigned;
byte ids[5];
bit started[5];
byte held[5];
byte leader;
chan q[5] = [5] of { byte };

#define TAKEN(x) (ids[0] == x || ids[1] == x || ids[2] == x || ids[3] == x || ids[4] == x)
#define ASSIGN(x) :: d_step { assigned < 5 && !TAKEN(x) -> ids[assigned] = x; assigned++ }

#define NODE(i, from) \
  :: d_step { assigned == 5 && !started[i] && held[i] == 0 -> started[i] = 1; q[i]!ids[i] } \
  :: d_step { held[i] == 0 && len(q[from]) > 0 -> q[from]?held[i]; \
       if \
       :: held[i] > ids[i] -> skip \
       :: held[i] == ids[i] -> leader = i + 1; held[i] = 0 \
       :: else -> held[i] = 0 \
       fi } \
  :: d_step { held[i] != 0 -> q[i]!held[i]; held[i] = 0 }

active proctype protocol()
{
end:
  do
  ASSIGN(1)
  ASSIGN(2)
  ASSIGN(3)
  ASSIGN(4)
  ASSIGN(5)
  NODE(0, 4)
  NODE(1, 0)
  NODE(2, 1)
  NODE(3, 2)
  NODE(4, 3)
  od
}
