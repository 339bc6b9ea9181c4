// All constructs: the robustness tests mutate this program.
type Ref;
type Field _;
type Heap = <a>[Ref, Field a]a;
type {:attr "text", 1 + 1} Pair a b = [a]b;
datatype List<T> { Nil(), Cons(head: T, tail: List T) }

const unique null: Ref;
const a, b: int uses { axiom a < b; }
const next: Field Ref;
const {:float} half: float24e8;

function {:inline} inc(x: int): int { x + 1 }
function plus(x, y: int) returns (sum: int);
function {:bvbuiltin "bvadd"} add32(bv32, bv32): bv32;
function id<T>(x: T): T;
hideable axiom (forall x: int, y: int :: {:weight 3} { plus(x, y) } { id(x), id(y) } plus(x, y) == x + y);
axiom (forall<T> x: T :: { id(x) } id(x) == x);
axiom (exists i: int :: i * i == 4 && i div 2 >= 0 && i mod 2 == 0) <==> !false;
axiom (lambda i: int :: i >= 0)[3] && (var p, q := 1, 2; p < q);
axiom half == 0x0.8e0f24e8 || 1.5 / 2.0 <= real(1) ** 2.0 || int(1.5) == 1;

var heap: Heap where heap[null, next] == null;
var x, y: int;
var {:thread_local} busy: bool;
var lists: [int]List int;
var bits: bv32;

procedure {:entrypoint} main()
  requires x == 0;
  modifies x, y, heap, lists, bits, busy;
  free ensures x >= old(x);
{
  var t: task int;
  var {:range 0, 3} r: int;
  var l: List int;

  call {:async} t := worker(1, null);
  call {:async} {:level 2} handler();
  async call handler();
  yield;
  zield;
  assume {:await} busy;
  call r := wait(t);
  call corral_atomic_begin();
  x, y := y, x;
  call corral_atomic_end();
  assume {:seal} true;
  havoc {:range 1, 2} r;
  assume {:unseal} true;
  if {:atomic} (x < 0) {
    x := -x;
  } else if (*) {
    lists[0] := Cons(1, Nil());
    lists[0]->head := 2;
  } else {
    lists := lists[1 := Nil()];
  }
  l := lists[1]->(head := if l is Cons then l->head else 0);
  Cons(r, l) := l;
  bits := add32(bits[32:16] ++ 0bv16, 7bv32);
  heap[null, next] := null;
  assert {:msg "x is small"} inc(x) <= 10 ==> (x: int) >= 0 <==> true;
}

procedure worker(n: int, ref: Ref) returns (result: int);
  ensures result == n;

implementation worker(m: int, r: Ref) returns (out: int)
{
  var i: int;
  out, i := 0, 0;
outer:
  while (i < m)
    invariant {:source "w.c"} i <= m;
    free invariant out == i;
    measure m - i;
  {
    out := out + 1;
    if (out > 100) { break outer; }
    i := i + 1;
  }
  goto done, again;
again:
  call out := worker(m, r);
  return;
done:
  assert |{ var k: int; A: k := out; goto B; B: return k == out; }|;
}

procedure {:buffer 1} handler()
{
  var tid: int;
  call tid := corral_getThreadID();
  busy := tid == 1;
}
