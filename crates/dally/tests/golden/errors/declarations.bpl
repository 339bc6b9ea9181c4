// Invalid declarations.
type Endless = [int]Endless;
datatype Tower { Up(next: Tower) }
function nothing<a>(x: int): int;
function f(x: int): int;
var g: int;
axiom g == 0;
axiom (forall i, j: int :: { f(i) } f(i) == f(j));
axiom (forall i: int :: { f(i) == 1 } f(i) == 1);

procedure before(r: int) returns (s: int);
  requires s > old(g);

procedure changes(x: int) returns (r: int);
implementation changes(x: bool) returns (r: int) { r := 1; }

pure procedure sum(x: int) returns (r: int)
{
  r := x + g;
  g := r;
  call r := changes(x);
  yield;
}

procedure assumptions()
{
  var {:assumption} a, b: bool;
  var {:assumption} c: int;

  a := a && true;
  a := a && false;
  b := true;
}

var {:range 0, 3} small: int, other: bool;
