//! Partial-order reduction: one interleaving of steps that commute.
//!
//! If the next step of a task [commutes](crate::Program::commutes) with every step that other tasks can take before
//! it, the task alone is a persistent set [Godefroid: Partial-order methods for the verification of concurrent
//! systems, 1996]. Expansion takes that step and offers no other task, and no delay. Deadlocks and failures are
//! preserved, and so are the final states of a program without failures.
//!
//! *Proviso.* A task that is left out at one state must not be left out for ever. So a step suffices only if one of
//! its outcomes is open or grounded. A state is *open* until the portion of a layer in which it is expanded, or in which
//! the last of its proposals is made; then it is *closed*. It is *grounded* if it was expanded fully, or if a step
//! that sufficed leads from it to a state that was grounded in an earlier portion. Consider an execution that
//! leads from a reduced state to a failure. Either it contains the step of the persistent set, which can be moved to its
//! front, so that a shorter execution leads from an outcome to the failure. Or it does not, and then an execution
//! of the same length leads from each outcome to the failure. One of the outcomes is open, so that it is expanded
//! later, or it is grounded, so that steps lead from it to a state that was expanded fully, through states that were
//! grounded before. By induction over the length, the order of expansion and the order of grounding, the search finds
//! the failure. Portions do not depend on the number of threads, and neither do marks.
//!
//! *Executions without end.* The induction needs a last expansion. An endless execution of steps that commute never
//! comes to a closed state, and would keep all other tasks from running. So a state to which a chain of commuting
//! steps leads is expanded fully if the length of the chain is a power of two from [`SHORT_CHAIN`] on. The chain of a state is
//! that of its first visit, so a path can avoid long chains; but it cannot avoid depths, and the states at a depth that is a power of
//! two, from [`SHALLOW`] on, are expanded fully.
//!
//! A state is also expanded fully if the step has no outcome, fails, is suspended at a nondeterministic choice, or
//! seals or unseals the order of tasks.

mod effort;

use crate::expand::{Passage, Passages};
use crate::policy::Policy;
use crate::successors::{Event, Successors};
use crate::visited::{Mark, Visited};
use crate::{Fingerprint, Options, Program};

pub(crate) use effort::Effort;

/// Chains of this many commuting steps, and of powers of two above it, end in a state that is expanded fully.
const SHORT_CHAIN: u32 = 64;

/// States at this depth, and at powers of two above it, are expanded fully.
const SHALLOW: u32 = 256;

/// The use of commuting steps at one state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reduction {
    /// None: they are not looked for.
    Off,
    /// All enabled tasks take their steps. Chains of commuting steps are counted.
    Full,
    /// A commuting step suffices.
    On,
}

impl Reduction {
    /// For a state that is `depth` steps from an initial one, to which a chain of commuting steps leads.
    #[inline]
    pub(crate) fn at(chain: u32, depth: u32, options: &Options) -> Self {
        if mutant(options, Mutant::NoChainLimit) {
            return Self::On;
        }
        let is_mark = |number: u32, from: u32| number >= from && number.is_power_of_two();
        if is_mark(chain, SHORT_CHAIN) || is_mark(depth, SHALLOW) { Self::Full } else { Self::On }
    }
}

/// Returns true if searches under the policy and with these options reduce the program. Reduction can make executions
/// longer, so it does not apply where steps are counted.
pub(crate) fn applies<P: Program, O: Policy>(program: &P, policy: &O, options: &Options) -> bool {
    let counts_steps = options.steps.is_some() || policy.step_cost() > 0;
    options.reduction && !options.exact && !counts_steps && program.has_footprints()
}

/// Decides if the outcomes of a commuting step suffice at the state that it is taken from: the step has ended in each of
/// them without a failure, the order of tasks stays as open as it was, and one outcome is open or grounded. Returns the
/// mark of the state if so.
pub(crate) fn suffices<P: Program>(
    program: &P,
    options: &Options,
    successors: &mut Successors<P::State>,
    mark_of: impl Fn(Fingerprint) -> Mark,
) -> Option<Mark> {
    let Successors { outcomes, states, events, suspensions, .. } = successors;
    if *suspensions > 0 && !mutant(options, Mutant::SuspendedStepsSuffice) {
        return None;
    }
    if events.iter().any(Event::seals) && !mutant(options, Mutant::SealsSuffice) {
        return None;
    }
    if outcomes.is_empty() {
        return mutant(options, Mutant::BlockedStepsSuffice).then_some(Mark::Closed);
    }
    let has_failed = outcomes.iter().any(|outcome| outcome.failure().is_some());
    if has_failed {
        return None;
    }
    if mutant(options, Mutant::NoProviso) {
        return Some(Mark::Closed);
    }
    let mut states = states.iter();
    let (mut is_open, mut is_grounded) = (false, false);
    for outcome in outcomes.iter_mut() {
        let state = if outcome.has_state { states.next() } else { None };
        if outcome.fingerprint.is_none() {
            outcome.fingerprint = state.map(|state| program.fingerprint(state));
        }
        match outcome.fingerprint.map(&mark_of) {
            Some(Mark::Grounded) => is_grounded = true,
            Some(Mark::Open) => is_open = true,
            Some(Mark::Closed) => is_open |= mutant(options, Mutant::ClosedStatesSuffice),
            None => {}
        }
        is_open |= outcome.suspended().is_some();
    }
    match (is_grounded, is_open) {
        (true, _) => Some(Mark::Grounded),
        (false, true) if mutant(options, Mutant::OpenStatesGround) => Some(Mark::Grounded),
        (false, true) => Some(Mark::Closed),
        (false, false) => None,
    }
}

/// Marks of states that were expanded in the current portion of a layer, and the passages of chains.
#[derive(Clone, Debug, Default)]
pub(crate) struct Marks {
    opened: Vec<Fingerprint>,
    grounded: Vec<Fingerprint>,
    passages: Vec<(Fingerprint, Passage)>,
}

impl Marks {
    /// Adds the mark of a state; all states of a portion are closed already.
    #[inline]
    pub(crate) fn add(&mut self, key: Fingerprint, mark: Mark) {
        match mark {
            Mark::Open => self.opened.push(key),
            Mark::Grounded => self.grounded.push(key),
            Mark::Closed => {}
        }
    }

    /// Adds passages of chains.
    pub(crate) fn pass(&mut self, passages: &mut Vec<(Fingerprint, Passage)>) {
        self.passages.append(passages);
    }

    pub(crate) fn append(&mut self, mut other: Self) {
        self.opened.append(&mut other.opened);
        self.grounded.append(&mut other.grounded);
        self.passages.append(&mut other.passages);
    }

    /// Marks the states in the visited set, and adds the passages, after the portion.
    pub(crate) fn apply<V: Copy + Default>(&mut self, visited: &mut Visited<V>, passages: &mut Passages) {
        passages.add(&mut self.passages, visited.len());
        visited.mark_all(&self.opened, Mark::Open);
        visited.mark_all(&self.grounded, Mark::Grounded);
        self.opened.clear();
        self.grounded.clear();
    }
}

/// Errors that tests introduce, to see that they would notice them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mutant {
    /// Every commuting step suffices.
    NoProviso,
    /// A closed outcome that is not grounded suffices.
    ClosedStatesSuffice,
    /// A state is grounded if a step leads to an open one.
    OpenStatesGround,
    /// Steps whose outcomes are all discarded suffice.
    BlockedStepsSuffice,
    /// Suspended steps suffice.
    SuspendedStepsSuffice,
    /// Steps that seal or unseal suffice.
    SealsSuffice,
    /// Chains have any length.
    NoChainLimit,
    /// The proviso is about the outcomes of a step, not about the ends of their chains.
    UnfusedOutcomesSuffice,
    /// A chain takes steps that do not commute.
    FusesConflicts,
    /// A chain takes the last of several outcomes.
    FusesLastOutcomes,
    /// A chain takes steps that seal or unseal.
    FusesSeals,
    /// A chain that meets an earlier one ends there, at a state that is not visited.
    EndsInPassage,
}

/// The error of a search. Outside of tests it has none.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Flaw {
    #[cfg(test)]
    mutant: Option<Mutant>,
}

#[cfg(not(test))]
#[allow(clippy::unused_self, reason = "only tests introduce errors")]
impl Flaw {
    pub(crate) fn of(_: &Options) -> Self {
        Self {}
    }

    #[inline]
    pub(crate) fn is(self, _: Mutant) -> bool {
        false
    }
}

#[cfg(test)]
impl Flaw {
    pub(crate) fn of(options: &Options) -> Self {
        Self { mutant: options.mutant }
    }

    pub(crate) fn is(self, mutant: Mutant) -> bool {
        self.mutant == Some(mutant)
    }
}

/// Returns true if the search has this error.
#[inline]
pub(crate) fn mutant(options: &Options, mutant: Mutant) -> bool {
    Flaw::of(options).is(mutant)
}

#[cfg(test)]
mod tests;
