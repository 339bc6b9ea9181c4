//! What a bounded search counts: at each point of an execution, a policy puts the tasks that can run in an
//! order, of which the first is what happens by default, and says what it costs to depart from it.
//!
//! Delay bounding and preemption bounding differ in this only.

use shuttle::scheduler::{Task, TaskId};

mod delays;
mod preemptions;
mod tasks;

pub(crate) use delays::Delays;
pub(crate) use preemptions::Preemptions;

/// A point at which somebody has to run next.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Point<'a> {
    /// Who can run: ascending, and not empty. Some of them may be blocked, and run only if they are woken for
    /// no reason.
    pub(crate) tasks: &'a [&'a Task],
    /// Who ran last.
    pub(crate) current: Option<TaskId>,
    /// Whether that one has asked for others to run.
    pub(crate) yielding: bool,
    /// How many steps there were before.
    pub(crate) step: usize,
    /// A hash of what has happened in them.
    pub(crate) history: u64,
}

/// What alternatives cost, in one number, which is returned in a register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Price(u32);

impl Price {
    /// Every alternative is as good as the default.
    pub(crate) const FREE: Self = Self(0);

    /// The default was chosen, for nothing, and each alternative costs one more.
    pub(crate) const USUAL: Self = Self(0b11);

    /// Whether the first alternative to the default costs one; whether the one after that which was chosen does, on
    /// top of it; and what that which was chosen costs, all in all.
    #[inline]
    pub(crate) fn new(first: bool, further: bool, paid: u32) -> Self {
        Self(paid << 2 | u32::from(further) << 1 | u32::from(first))
    }

    /// The first alternative to the default.
    #[inline]
    pub(crate) fn first(self) -> u32 {
        self.0 & 1
    }

    /// The one after that which was chosen, on top of it.
    #[inline]
    pub(crate) fn further(self) -> u32 {
        self.0 >> 1 & 1
    }

    /// The one that was chosen, all in all.
    #[inline]
    pub(crate) fn paid(self) -> u32 {
        self.0 >> 2
    }
}

/// A way to bound a search. It remembers something along an execution.
pub(crate) trait Policy {
    /// An execution begins.
    fn begin(&mut self);

    /// The task in the given place of the order: 0 is the default. There are as many as can run.
    fn choose(&mut self, point: &Point<'_>, nth: usize) -> (TaskId, Price);

    /// The tasks that had to stand back in this execution, where another was chosen: the step before which they had
    /// to, ascending, and who.
    fn put_off(&self) -> &[(usize, TaskId)];
}
