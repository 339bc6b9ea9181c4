//! States: the monitors, the machines, and the queues of the machines.
//!
//! Each machine, monitor and message occurs in many states, so it is interned, machines and monitors in
//! packed form. A state is a list of ids: the monitors, then for each machine, in the order of creation,
//! its id, the length of its queue, and the messages in it. Most ids are small, so a number usually takes
//! one byte. A step unpacks the list; it unpacks the machine that runs only if the outcomes of the step are
//! not [cached](crate::machine).

use std::hash::{Hash, Hasher};
use std::sync::{Arc, OnceLock};

use dally_explore::store::{Interner, Part};
use dally_explore::{Fingerprint, Fingerprinter};
use dally_step::Frame;
use dally_step::sites::Sites;

use crate::coverage::Marks;
use serde::{Deserialize, Serialize};
use smallvec::SmallVec;

use crate::check::info::{EventId, HALT, NULL_EVENT};
use crate::code::{Action, Code};
use crate::reduction::Future;
use crate::value::{Heap, Value};

/// A configuration of a program.
#[derive(Debug)]
pub struct State {
    /// The numbers of the list in a variable-length encoding, least significant seven bits first.
    bytes: SmallVec<[u8; 32]>,
    /// The fingerprint in two halves, which need less alignment than one `u128`: a frontier holds millions
    /// of states.
    sum: [u64; 2],
}

const _: () = assert!(size_of::<State>() <= 56, "there is one for each state that waits");

impl Clone for State {
    fn clone(&self) -> Self {
        // `SmallVec::clone` copies element by element.
        State { bytes: SmallVec::from_slice(&self.bytes), sum: self.sum }
    }
}

impl Hash for State {
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        self.fingerprint().hash(hasher);
    }
}

impl State {
    /// The state with these numbers and this fingerprint.
    pub(crate) fn new(numbers: &[u32], fingerprint: Fingerprint) -> Self {
        let all = numbers.iter().fold(0, |all, number| all | number);
        // A state takes no more memory than it needs: the length of this iterator is known.
        let bytes = if all < 1 << 7 { numbers.iter().map(|n| *n as u8).collect() } else { encode(numbers) };
        State { bytes, sum: [fingerprint.0 as u64, (fingerprint.0 >> 64) as u64] }
    }

    pub(crate) fn fingerprint(&self) -> Fingerprint {
        Fingerprint(u128::from(self.sum[1]) << 64 | u128::from(self.sum[0]))
    }

    /// The numbers of the list.
    pub(crate) fn numbers(&self) -> Numbers {
        // The ids of small programs have one byte. A loop over an array is vectorised, an iterator into a
        // vector checks the capacity for each number.
        if self.bytes.len() <= INLINE_NUMBERS && self.bytes.is_ascii() {
            let mut numbers = [0; INLINE_NUMBERS];
            for (number, byte) in numbers.iter_mut().zip(&self.bytes) {
                *number = u32::from(*byte);
            }
            return Numbers::from_buf_and_len(numbers, self.bytes.len());
        }
        // Numbers of one and of several bytes are mixed, so a branch would be mispredicted.
        let mut numbers = Numbers::from_elem(0, self.bytes.len());
        let (mut count, mut shift) = (0, 0);
        for byte in &self.bytes {
            let continues = u32::from(*byte >> 7);
            numbers[count] |= u32::from(*byte & 0x7f) << shift;
            count += 1 - continues as usize;
            shift = (shift + 7) * continues;
        }
        numbers.truncate(count);
        numbers
    }

    /// The bytes on the heap.
    pub(crate) fn heap_bytes(&self) -> usize {
        spilled(&self.bytes)
    }
}

/// The numbers of a state.
pub(crate) type Numbers = SmallVec<[u32; INLINE_NUMBERS]>;

/// States with at most this many numbers are unpacked without an allocation.
const INLINE_NUMBERS: usize = 48;

/// Numbers in a variable-length encoding.
fn encode(numbers: &[u32]) -> SmallVec<[u8; 32]> {
    let mut encoded: SmallVec<[u8; 128]> = SmallVec::new();
    for number in numbers {
        let mut number = *number;
        while number >= 1 << 7 {
            encoded.push(number as u8 | 1 << 7);
            number >>= 7;
        }
        encoded.push(number as u8);
    }
    SmallVec::from_slice(&encoded)
}

/// A state, unpacked.
#[derive(Debug)]
pub(crate) struct View {
    numbers: Numbers,
    monitors: usize,
    /// The index at which each machine begins.
    machines: SmallVec<[u32; 12]>,
}

/// A machine in a state: the ids of its record and of the messages in its queue.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Actor<'v> {
    pub(crate) local: u32,
    pub(crate) queue: &'v [u32],
}

impl View {
    /// Unpacks a state with this many monitors.
    pub(crate) fn new(state: &State, monitors: usize) -> Self {
        let numbers = state.numbers();
        let mut machines = SmallVec::new();
        let mut at = monitors;
        while let Some(length) = numbers.get(at + 1) {
            machines.push(at as u32);
            at += 2 + *length as usize;
        }
        View { numbers, monitors, machines }
    }

    /// The ids of the records of the monitors.
    pub(crate) fn monitors(&self) -> &[u32] {
        &self.numbers[..self.monitors.min(self.numbers.len())]
    }

    /// The number of machines, including halted ones.
    pub(crate) fn machines(&self) -> u32 {
        self.machines.len() as u32
    }

    /// The numbers of the machines between two. Without the first, they begin with the first machine; if there is no
    /// second, they end with the last one.
    pub(crate) fn between(&self, before: Option<u32>, after: u32) -> &[u32] {
        let start =
            |machine: u32| self.machines.get(machine as usize).map_or(self.numbers.len(), |at| *at as usize);
        &self.numbers[start(before.map_or(0, |machine| machine + 1))..start(after)]
    }

    pub(crate) fn machine(&self, machine: u32) -> Actor<'_> {
        let at = self.machines[machine as usize] as usize;
        let queue = &self.numbers[at + 2..at + 2 + self.numbers[at + 1] as usize];
        Actor { local: self.numbers[at], queue }
    }
}

/// The activity of a machine between two steps.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub(crate) enum Mode {
    /// A handler is at a scheduling point.
    Running,
    /// It waits for an event that its state does not defer.
    Idle,
    /// It found its queue empty, and will handle `null`.
    Defaulting,
    /// It is in a `receive`.
    Receiving(u32),
    /// It has halted.
    Halted,
}

/// The continuation of the running function.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub(crate) enum Then {
    /// Nothing.
    Rest,
    /// A state was exited: the next state, and the function of the transition.
    Leave(u32, Option<u32>),
    /// The next state is to be entered.
    Enter(u32),
    /// The state was exited because it does not handle the event.
    Unhandled,
}

/// A machine or monitor, between two steps or in the middle of one.
#[derive(PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub(crate) struct Local {
    /// Its kind, or for a monitor its machine.
    pub(crate) kind: u32,
    pub(crate) state: u32,
    pub(crate) mode: Mode,
    pub(crate) then: Then,
    /// The event for which a state is exited, and its payload.
    pub(crate) event: EventId,
    pub(crate) payload: Value,
    pub(crate) frames: SmallVec<[Frame; 2]>,
    /// The fields of the machine, then the variables and operands of the calls.
    pub(crate) values: SmallVec<[Value; 8]>,
}

impl Local {
    /// The bytes on the heap.
    pub(crate) fn heap_bytes(&self) -> usize {
        spilled(&self.frames) + spilled(&self.values)
    }

    /// A machine that has halted.
    pub(crate) fn halted(kind: u32) -> Self {
        Local {
            kind,
            state: 0,
            mode: Mode::Halted,
            then: Then::Rest,
            event: NULL_EVENT,
            payload: Value::Null,
            frames: SmallVec::new(),
            values: SmallVec::new(),
        }
    }
}

impl Clone for Local {
    fn clone(&self) -> Self {
        // `SmallVec::clone` copies element by element.
        Local {
            frames: SmallVec::from_slice(&self.frames),
            values: SmallVec::from_slice(&self.values),
            ..*self
        }
    }
}

/// An interned machine or monitor: the fields that are read often, and the rest.
#[derive(Debug)]
pub(crate) struct Record {
    pub(crate) kind: u32,
    pub(crate) state: u32,
    pub(crate) mode: Mode,
    rest: Rest,
    /// The future footprint of the machine, for the reduction.
    pub(crate) future: OnceLock<Box<Future>>,
}

/// An interned machine or monitor as a whole.
#[derive(Debug)]
enum Rest {
    Packed(Box<[u8]>),
    /// For walks, which drop their stores soon: packing takes longer than copying.
    Whole(Box<Local>),
}

/// An event in a queue, with its payload.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Queued {
    pub(crate) event: EventId,
    pub(crate) payload: Value,
}

/// The ids of the messages in the queue of a machine.
pub(crate) type Queue = SmallVec<[u32; 8]>;

/// The interners of the parts of states.
#[derive(Debug, Default)]
pub(crate) struct Store {
    pub(crate) heap: Heap,
    pub(crate) locals: Interner<Record>,
    pub(crate) messages: Interner<Queued>,
    /// The assertions and assumptions that were reached.
    pub(crate) sites: Arc<Sites>,
    /// Marks of the instructions, events, states, handlers and transitions that were reached.
    pub(crate) marks: Arc<Marks>,
    /// Takes the marks of steps that are analysed, but not explored.
    pub(crate) unmarked: Marks,
    /// True if machines and monitors are packed.
    pub(crate) packs: bool,
}

impl Store {
    /// The part of a machine or monitor.
    pub(crate) fn local(&self, local: &Local) -> Part {
        self.locals.intern_as(self.fingerprint(local), || {
            let (rest, heap) = if self.packs {
                // Serialisation of a `Local` into memory cannot fail.
                let packed: Box<[u8]> = postcard::to_allocvec(local).unwrap_or_default().into();
                let heap = packed.len();
                (Rest::Packed(packed), heap)
            } else {
                let heap = size_of::<Local>() + local.heap_bytes();
                (Rest::Whole(Box::new(local.clone())), heap)
            };
            (
                Record {
                    kind: local.kind,
                    state: local.state,
                    mode: local.mode,
                    rest,
                    future: OnceLock::new(),
                },
                heap,
            )
        })
    }

    /// The machine or monitor of a part.
    pub(crate) fn unpack(&self, id: u32) -> Local {
        let record = self.locals.get(id);
        match &record.rest {
            Rest::Packed(bytes) => postcard::from_bytes(bytes).unwrap_or_else(|_| Local::halted(record.kind)),
            Rest::Whole(local) => Local::clone(local),
        }
    }

    /// The part of a message.
    pub(crate) fn message(&self, message: Queued) -> Part {
        let mut hash = Fingerprinter::default();
        hash.write_u32(message.event);
        self.heap.write(message.payload, &mut hash);
        self.messages.intern_as(hash.fingerprint(), || (message, 0))
    }

    /// The fingerprint of a machine or monitor.
    pub(crate) fn fingerprint(&self, local: &Local) -> Fingerprint {
        let mut hash = Fingerprinter::default();
        let mode = match local.mode {
            Mode::Running => 0,
            Mode::Idle => 1,
            Mode::Halted => 2,
            Mode::Defaulting => 3,
            Mode::Receiving(cases) => 4 + u64::from(cases),
        };
        hash.write_u64(u64::from(local.kind) << 32 | u64::from(local.state));
        let then = match local.then {
            Then::Rest => 0,
            Then::Unhandled => 1,
            Then::Enter(state) => 2 + (u64::from(state) << 2),
            Then::Leave(state, function) => {
                3 + (u64::from(state) << 2) + (function.map_or(0, |f| u64::from(f) + 1) << 24)
            }
        };
        hash.write_u64(mode << 32 | u64::from(local.event));
        hash.write_u64(then);
        self.heap.write(local.payload, &mut hash);
        for f in &local.frames {
            hash.write_u64(u64::from(f.pc) << 32 | u64::from(f.base));
            hash.write_u32(f.function);
        }
        hash.write_u64(u64::MAX);
        local.values.iter().for_each(|v| self.heap.write(*v, &mut hash));
        hash.fingerprint()
    }

    /// The contribution of the machine or monitor at a position of the state. The fingerprint of a state is
    /// the sum of its contributions.
    pub(crate) fn contribution(&self, place: usize, actor: Actor<'_>) -> u128 {
        let mut hash = Fingerprinter::default();
        hash.write_usize(place);
        hash.write_u128(self.locals.part(actor.local).fingerprint.0);
        actor.queue.iter().for_each(|id| hash.write_u128(self.messages.part(*id).fingerprint.0));
        hash.fingerprint().0
    }

    pub(crate) fn bytes(&self) -> usize {
        self.heap.bytes() + self.locals.bytes() + self.messages.bytes()
    }

    /// True if a machine can take a step, given the messages in its queue.
    pub(crate) fn can_move(&self, code: &Code, local: u32, mut queue: impl Iterator<Item = u32>) -> bool {
        let local = self.locals.get(local);
        let event_of = |id: u32| self.messages.get(id).event;
        match local.mode {
            Mode::Running | Mode::Defaulting => true,
            Mode::Halted => false,
            Mode::Receiving(cases) => queue.any(|id| code.receives(cases, event_of(id))),
            Mode::Idle => {
                code.actions(local)[NULL_EVENT as usize] != Action::Unhandled
                    || self.has_available(code, local, queue)
            }
        }
    }

    /// True if a machine in this state can dequeue one of these messages.
    pub(crate) fn has_available(
        &self,
        code: &Code,
        local: &Record,
        mut queue: impl Iterator<Item = u32>,
    ) -> bool {
        let actions = code.actions(local);
        let action_on = |id: u32| actions[self.messages.get(id).event as usize];
        queue.any(|id| !matches!(action_on(id), Action::Defer | Action::Ignore))
    }

    /// Drops the events that a machine in this state ignores, up to the first one that it can dequeue.
    /// Returns the position of that one.
    pub(crate) fn available(&self, code: &Code, local: &Record, queue: &mut Queue) -> Option<usize> {
        let actions = code.actions(local);
        let mut place = 0;
        while let Some(message) = queue.get(place) {
            match actions[self.messages.get(*message).event as usize] {
                Action::Ignore => {
                    queue.remove(place);
                }
                Action::Defer => place += 1,
                _ => return Some(place),
            }
        }
        None
    }
}

impl Code {
    /// True if a `receive` takes this event.
    pub(crate) fn receives(&self, cases: u32, event: EventId) -> bool {
        event == HALT || self.cases[cases as usize].targets[event as usize].is_some()
    }

    /// By event: the action of the machine's state.
    pub(crate) fn actions(&self, local: &Record) -> &[Action] {
        let machine = self.kinds[local.kind as usize].machine;
        &self.machines[machine as usize].states[local.state as usize].actions
    }
}

/// The bytes that a list holds on the heap.
pub(crate) fn spilled<A: smallvec::Array>(list: &SmallVec<A>) -> usize {
    if list.spilled() { list.capacity() * size_of::<A::Item>() } else { 0 }
}
