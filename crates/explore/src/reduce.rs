//! Partial-order reduction: one interleaving of steps that commute.
//!
//! If the next step of a task [commutes](crate::Program::commutes) with every step that other tasks can take before
//! it, the task alone is a persistent set [Godefroid: Partial-order methods for the verification of concurrent
//! systems, 1996]. Expansion takes that step and offers no other task, and no delay. Deadlocks and failures are
//! preserved, and so are the final states of a program without failures.
//!
//! *Proviso.* A task that is left out at one state must not be left out for ever. So a step suffices only if one of
//! its outcomes is not closed: a state is *closed* from the beginning of the portion of a layer in which it is
//! expanded. An outcome that is not closed is expanded later than this state. Consider an execution that leads from
//! a reduced state to a failure. Either it contains the step of the persistent set, which can be moved to its front,
//! so that a shorter execution leads from an outcome to the failure. Or it does not, and then an execution of the same
//! length leads from the outcome that is expanded later to the failure. By induction over the length and the order
//! of expansion, the search finds it. Portions do not depend on the number of threads, and neither do reduced states.
//!
//! *Executions without end.* The induction needs a last expansion. An endless execution of steps that commute never
//! comes to a closed state, and would keep all other tasks from running. So a state to which a chain of commuting
//! steps leads is expanded fully if the length of the chain is a power of two from [`SHORT_CHAIN`] on. The chain of a state is
//! that of its first visit, so a path can avoid long chains; but it cannot avoid depths, and the states at a depth that is a power of
//! two, from [`SHALLOW`] on, are expanded fully.
//!
//! A state is also expanded fully if the step has no outcome, fails, is suspended at a nondeterministic choice, or
//! seals or unseals the order of tasks.

use crate::policy::Policy;
use crate::successors::{Event, Successors};
use crate::{Fingerprint, Options, Program};

/// Chains of this many commuting steps, and of powers of two above it, end in a state that is expanded fully.
const SHORT_CHAIN: u32 = 16;

/// States at this depth, and at powers of two above it, are expanded fully.
const SHALLOW: u32 = 64;

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

/// Returns true if the outcomes of a commuting step suffice at the state that it is taken from: the step has ended in
/// each of them without a failure, the order of tasks stays as open as it was, and one outcome is not closed.
pub(crate) fn suffices<P: Program>(
    program: &P,
    options: &Options,
    successors: &mut Successors<P::State>,
    is_closed: impl Fn(Fingerprint) -> bool,
) -> bool {
    let Successors { outcomes, states, events, suspensions, .. } = successors;
    if *suspensions > 0 && !mutant(options, Mutant::SuspendedStepsSuffice) {
        return false;
    }
    let seals = |event: &Event| matches!(event, Event::Sealed | Event::Unsealed);
    if events.iter().any(seals) && !mutant(options, Mutant::SealsSuffice) {
        return false;
    }
    if outcomes.is_empty() {
        return mutant(options, Mutant::BlockedStepsSuffice);
    }
    let has_failed = outcomes.iter().any(|outcome| outcome.failure.is_some());
    if has_failed {
        return false;
    }
    if mutant(options, Mutant::NoProviso) {
        return true;
    }
    let mut states = states.iter();
    outcomes.iter_mut().fold(false, |is_open, outcome| {
        let state = if outcome.has_state { states.next() } else { None };
        if outcome.fingerprint.is_none() {
            outcome.fingerprint = state.map(|state| program.fingerprint(state));
        }
        is_open || outcome.suspended.is_some() || outcome.fingerprint.is_some_and(|key| !is_closed(key))
    })
}

/// Errors that tests introduce, to see that they would notice them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mutant {
    /// Every commuting step suffices.
    NoProviso,
    /// Steps whose outcomes are all discarded suffice.
    BlockedStepsSuffice,
    /// Suspended steps suffice.
    SuspendedStepsSuffice,
    /// Steps that seal or unseal suffice.
    SealsSuffice,
    /// Chains have any length.
    NoChainLimit,
}

/// Returns true if the search has this error. Outside of tests it has none.
#[cfg(not(test))]
#[inline]
fn mutant(_: &Options, _: Mutant) -> bool {
    false
}

#[cfg(test)]
fn mutant(options: &Options, mutant: Mutant) -> bool {
    options.mutant == Some(mutant)
}

#[cfg(test)]
mod tests;
