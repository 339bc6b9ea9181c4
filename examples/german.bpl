// German's protocol as in german_fixed.bpl, with a seeded bug: a line is granted as shared while another client
// holds it exclusively.
//
// check: bug 0
// check --scheduler dfw: bug 0

datatype Line { invalid(), shared(), exclusive() }
datatype Message { nothing(), give_back(), grant(line: Line) }

var cache: [int]Line;
var request: [int]Line; // invalid: no request
var reply: [int]Message;
var acknowledged: [int]bool;
var holds: [int]bool; // the directory's view of the clients
var owned: bool; // true if one client holds the line exclusively

procedure {:entrypoint} directory()
{
  var who: int;
  var wanted: Line;

  cache := (lambda c: int :: invalid());
  request := (lambda c: int :: invalid());
  reply := (lambda c: int :: nothing());
  acknowledged := (lambda c: int :: false);
  holds := (lambda c: int :: false);
  owned := false;
  call {:async} client(1);
  call {:async} client(2);
  call {:async} client(3);
  while (true)
  {
    havoc who, wanted; // dead from here on: fewer states
    yield;
    assume {:await} request[1] != invalid() || request[2] != invalid() || request[3] != invalid();
    havoc {:range 1, 3} who;
    assume request[who] != invalid();
    wanted := request[who];
    request[who] := invalid();
    if (wanted == exclusive()) // the bug: should also test `owned`
    {
      call revoke(1);
      call revoke(2);
      call revoke(3);
      owned := false;
    }
    yield;
    assume {:await} reply[who] == nothing();
    reply[who] := grant(wanted);
    holds[who] := true;
    owned := wanted == exclusive();
  }
}

procedure revoke(from: int)
{
  if (holds[from])
  {
    yield;
    assume {:await} reply[from] == nothing();
    reply[from] := give_back();
    yield;
    assume {:await} acknowledged[from];
    acknowledged[from] := false;
    holds[from] := false;
  }
}

procedure client(me: int)
{
  var wanted: Line;

  while (true)
  {
    havoc wanted;
    yield;
    assume {:await} reply[me] != nothing() || (request[me] == invalid() && cache[me] != exclusive());
    if (*)
    {
      assume request[me] == invalid() && cache[me] != exclusive();
      assume wanted != invalid() && wanted != cache[me];
      request[me] := wanted;
    }
    else
    {
      assume reply[me] != nothing();
      acknowledged[me] := reply[me] == give_back();
      cache[me] := if reply[me] == give_back() then invalid() else reply[me]->line;
      reply[me] := nothing();
      assert coherent(cache[1], cache[2]) && coherent(cache[2], cache[3]) && coherent(cache[1], cache[3]);
    }
  }
}

function coherent(a: Line, b: Line): bool
{
  (a == exclusive() ==> b == invalid()) && (b == exclusive() ==> a == invalid())
}
