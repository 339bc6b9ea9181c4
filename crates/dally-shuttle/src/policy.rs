//! Search policies: at each scheduling point, a policy orders the tasks that can run, of which the first is the default,
//! and assigns a cost to each alternative.
//!
//! Delay bounding and preemption bounding differ only in their policies.

use shuttle::scheduler::{Task, TaskId};

mod delays;
mod preemptions;
mod tasks;

pub(crate) use delays::{Delays, Guide};
pub(crate) use preemptions::Preemptions;

/// A scheduling point.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Point<'a> {
    /// The tasks that can run: ascending, and not empty. Some may be blocked, and run only after a spurious wake-up.
    pub(crate) tasks: &'a [&'a Task],
    /// The task that ran last.
    pub(crate) current: Option<TaskId>,
    /// True if that task yields.
    pub(crate) yielding: bool,
    /// The number of steps before.
    pub(crate) step: usize,
    /// A hash of these steps.
    pub(crate) history: u64,
}

impl Point<'_> {
    /// True if a task has terminated or is blocked.
    pub(crate) fn is_gone(&self, task: TaskId) -> bool {
        self.tasks.iter().all(|other| other.id() != task)
    }
}

/// The costs of the alternatives at a scheduling point, packed into one number that fits a register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Price(u32);

impl Price {
    /// Every alternative is free.
    pub(crate) const FREE: Self = Self(0);

    /// The default was chosen, at no cost, and each alternative costs one more than the one before.
    pub(crate) const USUAL: Self = Self(0b11);

    /// `first`: the first alternative to the default costs 1. `further`: the alternative after the chosen one costs 1
    /// more. `paid`: the total cost of the chosen alternative.
    #[inline]
    pub(crate) fn new(first: bool, further: bool, paid: u32) -> Self {
        Self(paid << 2 | u32::from(further) << 1 | u32::from(first))
    }

    /// The cost of the first alternative to the default.
    #[inline]
    pub(crate) fn first(self) -> u32 {
        self.0 & 1
    }

    /// The additional cost of the alternative after the chosen one.
    #[inline]
    pub(crate) fn further(self) -> u32 {
        self.0 >> 1 & 1
    }

    /// The total cost of the chosen alternative.
    #[inline]
    pub(crate) fn paid(self) -> u32 {
        self.0 >> 2
    }
}

/// A task that was delayed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Delayed {
    /// The step before which it was delayed.
    pub(crate) step: usize,
    pub(crate) task: TaskId,
}

/// Bounds a search: orders tasks, and assigns costs. It has a state along an execution.
pub(crate) trait Policy {
    /// An execution begins.
    fn begin(&mut self);

    /// The task at this position of the order: 0 is the default. There are as many as tasks that can run.
    fn choose(&mut self, point: &Point<'_>, nth: usize) -> (TaskId, Price);

    /// The tasks that were delayed in this execution, in ascending order of the step before which they were.
    fn delayed(&self) -> &[Delayed];
}
