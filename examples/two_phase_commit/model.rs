//! Two-phase commit as guarded actions: a transaction manager and N resource managers that exchange
//! messages. Messages are never lost, and never removed.
//!
//! After Lamport and Gray, "Consensus on transaction commit", and its TLA⁺ specification TwoPhase.
//! The state is one word: four bits for each resource manager, and four for the transaction
//! manager.

#![allow(unreachable_pub, reason = "a module of an example, of tests and of benchmarks")]

use dally_explore::{Failure, Program, Successors, TaskId};

/// The protocol, with up to 15 resource managers.
#[derive(Clone, Copy, Debug)]
pub struct TwoPhaseCommit {
    /// The number of resource managers.
    pub resource_managers: u32,
}

/// The transaction manager is the first task; resource manager i is task i + 1.
const TRANSACTION_MANAGER: TaskId = TaskId(0);

/// A state of the protocol, packed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct State(u64);

/// The state of a resource manager: the lower two of its four bits.
const WORKING: u64 = 0;
const PREPARED: u64 = 1;
const COMMITTED: u64 = 2;
const ABORTED: u64 = 3;

/// The upper four bits: the decision of the transaction manager.
const SENT_COMMIT: u64 = 1 << 60;
const SENT_ABORT: u64 = 1 << 61;
const DECIDED: u64 = SENT_COMMIT | SENT_ABORT;

/// Its upper two bits: the resource manager has sent the message that it is prepared, and the transaction manager has
/// received it.
const SENT_PREPARED: u64 = 4;
const SEEN_PREPARED: u64 = 8;

impl State {
    fn has(self, bits: u64) -> bool {
        self.0 & bits == bits
    }

    fn with(self, bits: u64) -> Self {
        Self(self.0 | bits)
    }

    fn manager(self, rm: u32) -> u64 {
        (self.0 >> (4 * rm)) & 3
    }

    fn with_manager(self, rm: u32, state: u64) -> Self {
        Self((self.0 & !(3 << (4 * rm))) | (state << (4 * rm)))
    }
}

/// A bit of a resource manager.
fn of(rm: u32, bit: u64) -> u64 {
    bit << (4 * rm)
}

/// A bit of each of the first `count` resource managers.
fn of_all(count: u32, bit: u64) -> u64 {
    (0x0111_1111_1111_1111 & !(u64::MAX << (4 * count))) * bit
}

impl TwoPhaseCommit {
    /// Fails if one resource manager has committed and another one has aborted.
    fn check(self, state: State) -> Option<Failure> {
        // Both states have the upper bit set; the lower bit distinguishes them.
        let ended = state.0 & of_all(self.resource_managers, COMMITTED);
        let aborted = ended & ((state.0 & of_all(self.resource_managers, PREPARED)) << 1);
        let both = aborted != 0 && aborted != ended;
        both.then(|| Failure::assertion("one has committed, another has aborted"))
    }

    fn push(self, state: State, out: &mut Successors<State>) {
        let successor = out.push(state);
        if let Some(failure) = self.check(state) {
            successor.fails(failure);
        }
    }

    fn transaction_manager(self, state: State, out: &mut Successors<State>) {
        if state.has(of_all(self.resource_managers, SEEN_PREPARED)) {
            self.push(state.with(SENT_COMMIT), out);
        }
        self.push(state.with(SENT_ABORT), out);
        for rm in 0..self.resource_managers {
            if state.has(of(rm, SENT_PREPARED)) {
                self.push(state.with(of(rm, SEEN_PREPARED)), out);
            }
        }
    }

    fn resource_manager(self, state: State, rm: u32, out: &mut Successors<State>) {
        if state.manager(rm) == WORKING {
            self.push(state.with_manager(rm, PREPARED).with(of(rm, SENT_PREPARED)), out);
            self.push(state.with_manager(rm, ABORTED), out);
        }
        if state.has(SENT_COMMIT) {
            self.push(state.with_manager(rm, COMMITTED), out);
        }
        if state.has(SENT_ABORT) {
            self.push(state.with_manager(rm, ABORTED), out);
        }
    }
}

impl Program for TwoPhaseCommit {
    type State = State;

    fn initial(&self, out: &mut Successors<State>) {
        let mut initial = out.push(State::default()).posts(TRANSACTION_MANAGER);
        for rm in 0..self.resource_managers {
            initial = initial.posts(TaskId(rm + 1));
        }
    }

    fn enabled(&self, state: &State, tasks: &mut Vec<TaskId>) {
        let decided = state.0 & DECIDED != 0;
        if !decided {
            tasks.push(TRANSACTION_MANAGER);
        }
        let is_enabled = |rm: &u32| decided || state.manager(*rm) == WORKING;
        tasks.extend((0..self.resource_managers).filter(is_enabled).map(|rm| TaskId(rm + 1)));
    }

    fn step(&self, state: &State, task: TaskId, out: &mut Successors<State>) {
        match task {
            TRANSACTION_MANAGER => self.transaction_manager(*state, out),
            TaskId(manager) => self.resource_manager(*state, manager - 1, out),
        }
    }
}
