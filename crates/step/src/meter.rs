//! Fuel and limits of one step.
//!
//! Instructions burn fuel. Each execution of a step has the same amount, which detects tasks that never let
//! others run. At intervals the meter checks the limits that end a search in the middle of a step: an
//! interrupt, and the memory budget.

use dally_explore::{Failure, StepLimits};

/// The fuel burnt between two checks of the limits.
const SLICE: i64 = 1 << 12;

/// The number of choices between two checks of the limits.
const CHOICES_BETWEEN_CHECKS: u32 = 64;

/// The fuel of a step.
#[derive(Clone, Copy, Debug)]
pub struct StepBudget {
    /// The fuel of one execution of the step.
    pub fuel: i64,
    /// The fuel of all its executions together.
    pub total: i64,
}

/// The reason for which a step is abandoned.
#[derive(Clone, Debug)]
pub enum Exhausted {
    /// A limit of the search is reached.
    Limit(Failure),
    /// The task has burnt its fuel without letting others run.
    Fuel,
    /// The step makes more than [`MAX_CHOICES`](crate::engine::MAX_CHOICES) choices.
    Choices,
}

/// The resources that a step has used.
#[derive(Clone, Debug)]
pub struct Meter<'m> {
    limits: &'m StepLimits,
    /// The fuel until the next check of the limits, and the rest of this execution's fuel.
    slice: i64,
    reserve: i64,
    /// The fuel left for all further executions of the step together.
    total: i64,
    choices: u32,
    /// The size of the outcomes so far in bytes, maintained by their collector.
    pub delivered: usize,
}

impl<'m> Meter<'m> {
    /// The meter of a step that has not started.
    pub fn new(limits: &'m StepLimits, budget: StepBudget) -> Self {
        let slice = SLICE.min(budget.fuel);
        Meter { limits, slice, reserve: budget.fuel - slice, total: budget.total, choices: 0, delivered: 0 }
    }

    /// Burns fuel. Returns false if the slice is used up: the caller has to [refill](Self::refill) it.
    #[inline]
    pub fn burn(&mut self, units: i64) -> bool {
        self.slice -= units;
        self.slice >= 0
    }

    /// Checks the limits, and takes the next slice of fuel; `bytes` counts against the memory budget.
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

    /// The fuel left on this execution.
    pub fn fuel(&self) -> i64 {
        self.slice + self.reserve
    }

    /// Restores the fuel of a choice point.
    pub(crate) fn backtrack(&mut self, fuel: i64) {
        self.total -= fuel - self.fuel();
        self.reserve = fuel - self.slice;
    }

    /// Counts a choice. Returns true if the limits are due for a check.
    pub(crate) fn check_is_due(&mut self) -> bool {
        self.choices = self.choices.wrapping_add(1);
        self.choices.is_multiple_of(CHOICES_BETWEEN_CHECKS)
    }

    /// The limit that ends the step now, if any.
    #[cold]
    pub(crate) fn limit(&self, bytes: usize) -> Option<Exhausted> {
        if let Some(failure) = self.reached(|| bytes) {
            return Some(Exhausted::Limit(failure));
        }
        (self.total < 0).then_some(Exhausted::Fuel)
    }

    fn reached(&self, bytes: impl FnOnce() -> usize) -> Option<Failure> {
        self.limits.reached(|| bytes() + self.delivered)
    }
}
