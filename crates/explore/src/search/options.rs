//! The options of a search, and its observers.

use dally_schedule::StrategyName;

use crate::order::HORIZON;
use crate::outcome::{Limit, StateCoverage};
use crate::sample::Sampled;

/// The options of a search.
#[derive(Clone, Debug)]
pub struct Options {
    /// The highest bound: of the cost of an execution, choices included. Without one, bounds rise until the
    /// frontier is empty.
    pub bound: Option<u32>,
    /// The limit on the cost of deviations alone: on delays, say.
    pub delays: Option<u32>,
    /// If true, a state is expanded once for each state of the policy, otherwise once. Set a bound
    /// with schedulers whose rounds rise (`df`, `dfw`) or that count steps (`pct`): their state
    /// spaces are infinite.
    pub exact: bool,
    /// The cost of each option of a nondeterministic choice other than the first, if it has more than
    /// `free_options` options; at most 255.
    pub choice_cost: u32,
    /// Choices with at most this many options cost nothing.
    pub free_options: usize,
    /// Executions of cost 0 are explored to this depth before those of cost 1 begin, and then to twice the
    /// depth. `None`: executions of one cost are explored to their ends before the next cost begins. Exact
    /// searches and nested depth-first searches do the latter.
    pub horizon: Option<u32>,
    /// If true, one interleaving of steps that commute is explored, in programs that describe their
    /// [footprints](crate::Program::footprint). Exact searches, searches for cycles, and searches that count
    /// steps explore all.
    pub reduction: bool,
    /// An error in the reduction, which tests must notice.
    #[cfg(test)]
    pub(crate) mutant: Option<crate::reduce::Mutant>,
    /// Executions are cut off after this many steps.
    pub steps: Option<u32>,
    /// The number of threads; fewer are used if the machine has few cores. The result is the same
    /// for any number.
    pub threads: usize,
    /// Layers, and rounds of a search for cycles, with fewer nodes than this are processed by one
    /// thread, since waking threads takes longer.
    pub share_from: usize,
    /// The limit on states.
    pub states: Option<usize>,
    /// The limit on memory in bytes, as counted by the search.
    pub memory: Option<usize>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            bound: None,
            delays: None,
            exact: false,
            choice_cost: 0,
            free_options: 2,
            horizon: Some(HORIZON),
            reduction: true,
            #[cfg(test)]
            mutant: None,
            steps: None,
            threads: 1,
            share_from: 256,
            states: None,
            memory: None,
        }
    }
}

impl Options {
    /// The options of each of `searches` searches that share the memory limit.
    pub(crate) fn shared_by(&self, searches: usize) -> Self {
        Self { memory: self.memory.map(|bytes| bytes / searches.max(1)), ..self.clone() }
    }

    /// Choices among more values than this suspend a step, so that each option can be charged for.
    pub(crate) fn inline(&self) -> u64 {
        if self.choice_cost == 0 { u64::MAX } else { self.free_options as u64 }
    }
}

/// Observes a search, and can stop it. All methods have defaults; `()` observes nothing.
pub trait Watch<S>: Sync {
    /// Called regularly; the search stops when this returns a limit. Check clocks and signals here.
    fn poll(&self, _coverage: &StateCoverage) -> Option<Limit> {
        None
    }

    /// As [`poll`](Self::poll), while executions are sampled. Called by several threads.
    fn poll_samples(&self, _sampled: &Sampled) -> Option<Limit> {
        None
    }

    /// The search has explored executions of this cost: a pass is over, or its slice of work. What was reached
    /// since the last call was reached at this cost.
    fn explored(&self, _explored: &Explored<'_>) {}

    /// Executions were sampled. What was reached since the last call was reached in samples.
    fn sampled(&self, _sampled: &Sampled) {}

    /// A search for cycles enters this phase. Benchmarks measure phases with it.
    fn phase(&self, _phase: Phase) {}

    /// The search reached a state in which no task is enabled and which is not a deadlock. Called
    /// by several threads, possibly more than once for a state.
    fn final_state(&self, _state: &S) {}
}

impl<S> Watch<S> for () {}

/// A part of a search that is over.
#[derive(Clone, Copy, Debug)]
pub struct Explored<'a> {
    /// The strategy of the search.
    pub strategy: &'a StrategyName,
    /// The cost of the executions that were explored last.
    pub cost: u32,
    /// The coverage of the search so far.
    pub coverage: &'a StateCoverage,
}

/// A phase of a search for cycles.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Phase {
    /// Taking steps of the program.
    Explore,
    /// Calculating maximal accepting predecessors.
    Calculate,
    /// Refining them.
    Refine,
    /// Nested depth-first search.
    Nested,
    /// Building the lasso.
    Trace,
}
