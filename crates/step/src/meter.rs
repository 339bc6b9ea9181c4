//! Fuel and limits of one step.
//!
//! Instructions burn fuel; each execution of a step has the same amount, so that a task that never lets
//! others run is found out. From time to time the meter looks at what ends a search in the middle of a step:
//! an interrupt, or the memory budget.

use dally_explore::{Failure, Limits};

/// A step with more outcomes than this, or more executions that are discarded after a change, is not explored.
pub const MAX_OUTCOMES: usize = 1 << 18;

/// The fuel that is burnt between two looks at the limits.
const SLICE: i64 = 1 << 12;

/// The number of choices between two looks at the limits.
const CHOICES_BETWEEN_LOOKS: u32 = 64;

/// How much a step may do.
#[derive(Clone, Copy, Debug)]
pub struct Budget {
    /// The fuel of one execution of the step.
    pub fuel: i64,
    /// The fuel of all its executions together.
    pub total: i64,
}

/// Why a step is not executed any further.
#[derive(Clone, Debug)]
pub enum Exhausted {
    /// A limit of the search is reached.
    Limit(Failure),
    /// The task does more than can be explored without letting others run.
    Fuel,
    /// The step has more than [`MAX_OUTCOMES`] outcomes.
    Outcomes,
}

/// What a step has used up.
#[derive(Clone, Debug)]
pub struct Meter<'m> {
    limits: &'m Limits,
    /// Fuel until the next look at the limits, and the rest of this execution's.
    slice: i64,
    reserve: i64,
    /// Fuel that executions which were left may still burn, all together.
    total: i64,
    choices: u32,
    /// Outcomes so far.
    pub outcomes: usize,
    /// Executions that were discarded after they had changed something, or outcomes that were.
    pub discarded: usize,
    /// The bytes that the outcomes take so far; whoever collects them says so.
    pub delivered: usize,
}

impl<'m> Meter<'m> {
    /// A meter for a step that has not begun.
    pub fn new(limits: &'m Limits, budget: Budget) -> Self {
        let slice = SLICE.min(budget.fuel);
        Meter {
            limits,
            slice,
            reserve: budget.fuel - slice,
            total: budget.total,
            choices: 0,
            outcomes: 0,
            discarded: 0,
            delivered: 0,
        }
    }

    /// Burns fuel. Returns false if it is time to [refill](Self::refill).
    #[inline]
    pub fn burn(&mut self, units: i64) -> bool {
        self.slice -= units;
        self.slice >= 0
    }

    /// Looks at the limits, and takes the next slice of fuel; `bytes` is what counts against the memory budget.
    #[cold]
    pub fn refill(&mut self, bytes: impl FnOnce() -> usize) -> Result<(), Exhausted> {
        if let Some(failure) = self.reached(bytes) {
            return Err(Exhausted::Limit(failure));
        }
        let left = self.fuel();
        if left < 0 || self.total < 0 {
            return Err(Exhausted::Fuel);
        }
        self.slice = SLICE.min(left);
        self.reserve = left - self.slice;
        Ok(())
    }

    /// The fuel that is left on this execution.
    pub fn fuel(&self) -> i64 {
        self.slice + self.reserve
    }

    /// Goes back to where this much fuel was left.
    pub(crate) fn backtrack(&mut self, fuel: i64) {
        self.total -= fuel - self.fuel();
        self.reserve = fuel - self.slice;
    }

    /// Counts a choice. Returns true if it is time to look at the limits.
    pub(crate) fn looks_at_choice(&mut self, points: usize) -> bool {
        self.choices = self.choices.wrapping_add(1);
        self.choices.is_multiple_of(CHOICES_BETWEEN_LOOKS) || points + self.explored() > MAX_OUTCOMES
    }

    /// The limit that ends the step now, if one does.
    #[cold]
    pub(crate) fn limit(&self, points: usize, bytes: usize) -> Option<Exhausted> {
        if let Some(failure) = self.reached(|| bytes) {
            return Some(Exhausted::Limit(failure));
        }
        if points + self.explored() > MAX_OUTCOMES {
            return Some(Exhausted::Outcomes);
        }
        (self.total < 0).then_some(Exhausted::Fuel)
    }

    fn explored(&self) -> usize {
        self.outcomes.max(self.discarded)
    }

    fn reached(&self, bytes: impl FnOnce() -> usize) -> Option<Failure> {
        self.limits.reached(|| bytes() + self.delivered)
    }
}
