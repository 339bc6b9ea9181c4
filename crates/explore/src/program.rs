//! What is explored: a program, as a transition system of tasks.
//!
//! [TR15 §2]: states, an initial one, the processes that can move in a state, and a step of one of
//! them. A step may have several outcomes where the task chooses, and none where it gives up (a failed
//! `assume`).
//!
//! Deviations:
//! 1. There, a step is a function; here, as in its implementation, it may have several outcomes.
//! 2. A step reports what happened in it, since schedulers order tasks by who posted and woke whom.
//! 3. There, a transition is accepting or not. Here there may be several liveness properties at a time, and a step
//!    is hot or cold, or neither, for each of them: cold steps end what hot ones began.

use std::fmt;
use std::hash::Hash;

use dally_schedule::TaskId;

use crate::{Fingerprint, Limit, Successors};

/// A program whose tasks take steps.
///
/// Three methods are required. A state is any value; small `Copy` states are the fastest, and
/// [`store`](crate::store) helps where states are large and steps change little of them.
pub trait Program: Sync {
    /// A state, complete: equal states behave alike.
    type State: Clone + Hash + Send + Sync;

    /// The initial states, each with its first tasks, [posted](crate::Successor::posts) by nobody.
    fn initial(&self, out: &mut Successors<Self::State>);

    /// The tasks that can take a step, ascending and without repetition, appended to `tasks`.
    fn enabled(&self, state: &Self::State, tasks: &mut Vec<TaskId>);

    /// The outcomes of a step of an enabled task: one for each way in which the task can choose.
    fn step(&self, state: &Self::State, task: TaskId, out: &mut Successors<Self::State>);

    /// Called for states in which no task can move: is it a failure? The default says that it is the
    /// regular end of the program.
    fn deadlock(&self, _state: &Self::State) -> Option<Failure> {
        None
    }

    /// How many liveness properties there are, at most 64. A cycle violates one of them if some of its steps is
    /// [hot](crate::Successor::hot) for it and none is [cold](crate::Successor::cold). The default has one,
    /// which [accepting](crate::Successor::accepting) steps violate.
    fn properties(&self) -> u32 {
        1
    }

    /// Called for a state on a cycle that violates a property: what is wrong?
    fn starves(&self, _property: u32, _state: &Self::State) -> Failure {
        Failure::liveness("accepting steps are taken for ever")
    }

    /// What stands for the state in the visited set. States with equal fingerprints are taken to be
    /// equal. The default hashes the state.
    fn fingerprint(&self, state: &Self::State) -> Fingerprint {
        Fingerprint::of(state)
    }

    /// Bytes that the state holds beyond its own size, for the memory budget.
    fn heap_bytes(&self, _state: &Self::State) -> usize {
        0
    }

    /// Bytes that the program holds for all states together (interned parts), for the memory budget.
    fn shared_bytes(&self) -> usize {
        0
    }
}

/// What is wrong with a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// The kind of failure.
    pub kind: FailureKind,
    /// What failed, for people.
    pub message: String,
}

/// The kinds of failures.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FailureKind {
    /// An assertion does not hold.
    Assertion,
    /// Nobody can move, and somebody should.
    Deadlock,
    /// Something that should happen may never do so.
    Liveness,
    /// The program did what it must not: an index out of range, a missing key, an unhandled event.
    Runtime,
    /// Not a failure of the program: it uses something that cannot be explored.
    Unsupported,
    /// Not a failure of the program: a limit ended the search in the middle of the step.
    Interrupted(Limit),
}

impl Failure {
    /// An assertion that does not hold.
    pub fn assertion(message: impl Into<String>) -> Self {
        Self { kind: FailureKind::Assertion, message: message.into() }
    }

    /// Nobody can move, and somebody should.
    pub fn deadlock(message: impl Into<String>) -> Self {
        Self { kind: FailureKind::Deadlock, message: message.into() }
    }

    /// Something that should happen may never do so.
    pub fn liveness(message: impl Into<String>) -> Self {
        Self { kind: FailureKind::Liveness, message: message.into() }
    }

    /// The program did what it must not.
    pub fn runtime(message: impl Into<String>) -> Self {
        Self { kind: FailureKind::Runtime, message: message.into() }
    }

    /// A limit ends the search before the step ends.
    pub fn interrupted(limit: Limit) -> Self {
        Self { kind: FailureKind::Interrupted(limit), message: limit.to_string() }
    }

    /// The program uses something that cannot be explored.
    pub fn unsupported(message: impl Into<String>) -> Self {
        Self { kind: FailureKind::Unsupported, message: message.into() }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = match self.kind {
            FailureKind::Assertion => "assertion failed",
            FailureKind::Deadlock => "deadlock",
            FailureKind::Liveness => "liveness",
            FailureKind::Runtime => "run-time error",
            FailureKind::Unsupported => "unsupported",
            FailureKind::Interrupted(_) => "interrupted",
        };
        write!(f, "{kind}: {}", self.message)
    }
}
