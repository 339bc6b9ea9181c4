// Two-phase commit as guarded actions, after Gray and Lamport's model, for three participants.
//
// One task executes one action after the other: `goto` chooses the action, `havoc` chooses the participant, and
// `assume` discards the execution if the guard does not hold. Nothing depends on a scheduler: this is how to
// write a transition system. The states are the 288 of the published model, and one before its initial state.
//
// check: proved in 289 states
// check --bounded nothing: proved in 289 states

datatype Participant { working(), prepared(), committed(), aborted() }
datatype Coordinator { collecting(), deciding_commit(), deciding_abort() }

var participant: [int]Participant;
var coordinator: Coordinator;
var has_vote: [int]bool; // votes that the coordinator has received
var vote: [int]bool; // messages
var commit, abort: bool;

procedure {:entrypoint} main()
{
  var i: int;

  participant := (lambda p: int :: working());
  coordinator := collecting();
  has_vote := (lambda p: int :: false);
  vote := (lambda p: int :: false);
  commit := false;
  abort := false;

next:
  assert consistent(participant[1], participant[2]);
  assert consistent(participant[2], participant[3]);
  assert consistent(participant[1], participant[3]);
  havoc i; // dead from here on: states that differ only in it become equal
  yield;
  havoc {:range 1, 3} i;
  goto receive_vote, decide_commit, decide_abort, prepare, give_up, receive_commit, receive_abort;

receive_vote:
  assume coordinator == collecting() && vote[i];
  has_vote[i] := true;
  goto next;

decide_commit:
  assume coordinator == collecting() && has_vote[1] && has_vote[2] && has_vote[3];
  coordinator := deciding_commit();
  commit := true;
  goto next;

decide_abort:
  assume coordinator == collecting();
  coordinator := deciding_abort();
  abort := true;
  goto next;

prepare:
  assume participant[i] == working();
  participant[i] := prepared();
  vote[i] := true;
  goto next;

give_up:
  assume participant[i] == working();
  participant[i] := aborted();
  goto next;

receive_commit:
  assume commit;
  participant[i] := committed();
  goto next;

receive_abort:
  assume abort;
  participant[i] := aborted();
  goto next;
}

function consistent(p: Participant, q: Participant): bool
{
  !(p == committed() && q == aborted()) && !(p == aborted() && q == committed())
}
