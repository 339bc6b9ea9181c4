// flags: --modular
// Types that the solver interprets, and strings: they are verified, but an execution with them cannot be replayed.
type {:builtin "Seq"} Seq _;
function {:builtin "seq.empty"} empty(): Seq int;
function {:builtin "seq.unit"} one(x: int): Seq int;
function {:builtin "seq.++"} joined(s: Seq int, t: Seq int): Seq int;
function {:builtin "seq.len"} length(s: Seq int): int;
function {:builtin "seq.nth"} nth(s: Seq int, i: int): int;
function {:builtin "str.++"} concatenated(s: string, t: string): string;
function {:builtin "str.len"} characters(s: string): int;

procedure sequences(x: int)
{
  var s: Seq int;
  s := joined(empty(), joined(one(x), one(7)));
  assert length(s) == 2;
  assert nth(s, 0) == x && nth(s, 1) == 7;
}

procedure strings(s: string)
{
  assert concatenated("a b", "") == "a b";
  assert characters(concatenated(s, "xyz")) >= 3;
}

procedure wrong(s: string)
{
  assert characters(concatenated(s, "xyz")) > 3;
}
