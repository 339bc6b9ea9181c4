//! States: what each monitor and each machine is, and what waits for the machines.
//!
//! Monitors come first, then for each machine, in the order of creation, its own state and its queue. All are
//! interned; a step puts back only what it changed.

use std::hash::{Hash, Hasher};

use dally_explore::store::{self, Interner, Part};
use dally_explore::{Fingerprint, Fingerprinter};
use smallvec::SmallVec;

use crate::check::info::EventId;
use crate::value::{Heap, Value};

/// A configuration of a program.
#[derive(Clone, Debug)]
pub struct State {
    pub(crate) parts: Parts,
}

/// With room for ten machines or so.
pub(crate) type Parts = store::Parts<24>;

impl Hash for State {
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        self.parts.hash(hasher);
    }
}

/// One call.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Frame {
    pub(crate) function: u32,
    /// The next instruction.
    pub(crate) pc: u32,
    /// Where its variables begin.
    pub(crate) base: u32,
}

/// What a machine is about.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Mode {
    /// It is in the middle of something.
    Running,
    /// It waits for an event that its state does not defer.
    Idle,
    /// It has found nothing to take, and is about to handle that.
    Defaulting,
    /// It is in a `receive`.
    Receiving(u32),
    /// It is no more.
    Halted,
}

/// What comes when the function that runs is done.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Then {
    /// Nothing.
    Rest,
    /// A state was left: what is to be done on the way, and the next state.
    Leave(u32, Option<u32>),
    /// All is done on the way to the next state.
    Enter(u32),
    /// The state was left because it does not handle the event.
    Unhandled,
}

/// A machine or monitor, between two steps.
#[derive(PartialEq, Eq, Debug)]
pub(crate) struct Local {
    /// What it is: a kind, or for a monitor its machine.
    pub(crate) kind: u32,
    pub(crate) state: u32,
    pub(crate) mode: Mode,
    pub(crate) then: Then,
    /// The event on whose behalf a state is left, and what it carries.
    pub(crate) event: EventId,
    pub(crate) payload: Value,
    pub(crate) frames: SmallVec<[Frame; 2]>,
    /// The variables of the machine, then those of the calls and what they compute.
    pub(crate) values: SmallVec<[Value; 8]>,
}

impl Local {
    /// The bytes that it holds beyond itself.
    pub(crate) fn heap_bytes(&self) -> usize {
        spilled(&self.frames) + spilled(&self.values)
    }
}

impl Clone for Local {
    fn clone(&self) -> Self {
        // Copying slices is much faster than the general way.
        Local {
            frames: SmallVec::from_slice(&self.frames),
            values: SmallVec::from_slice(&self.values),
            ..*self
        }
    }
}

/// The events that wait for a machine, with what they carry.
pub(crate) type Queue = SmallVec<[(EventId, Value); 2]>;

/// The parts of all states.
#[derive(Debug, Default)]
pub(crate) struct Store {
    pub(crate) heap: Heap,
    pub(crate) locals: Interner<Local>,
    pub(crate) queues: Interner<Queue>,
}

impl Store {
    pub(crate) fn local(&self, local: &Local) -> Part {
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
        self.locals.intern_as(hash.fingerprint(), || {
            let mut local = local.clone();
            local.values.shrink_to_fit();
            local.frames.shrink_to_fit();
            let heap = local.heap_bytes();
            (local, heap)
        })
    }

    pub(crate) fn queue(&self, queue: &Queue) -> Part {
        let mut hash = Fingerprinter::default();
        for (event, payload) in queue {
            hash.write_u32(*event);
            self.heap.write(*payload, &mut hash);
        }
        self.queues.intern_as(hash.fingerprint(), || {
            let mut queue = queue.clone();
            queue.shrink_to_fit();
            let heap = spilled(&queue);
            (queue, heap)
        })
    }

    pub(crate) fn bytes(&self) -> usize {
        self.heap.bytes() + self.locals.bytes() + self.queues.bytes()
    }
}

/// The bytes that a list holds beyond itself.
pub(crate) fn spilled<A: smallvec::Array>(list: &SmallVec<A>) -> usize {
    if list.spilled() { list.capacity() * size_of::<A::Item>() } else { 0 }
}

impl State {
    pub(crate) fn fingerprint(&self) -> Fingerprint {
        self.parts.fingerprint()
    }
}
