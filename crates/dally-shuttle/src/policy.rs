//! What a bounded search counts: at each point of an execution, a policy puts the tasks that can run in an
//! order, of which the first is what happens by default, and says what it costs to depart from it.
//!
//! Delay bounding and preemption bounding differ in this only.

use shuttle::scheduler::{Task, TaskId};

mod delays;
mod preemptions;

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
    /// A hash of what has happened so far.
    pub(crate) history: u64,
}

/// What alternatives cost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Price {
    /// The first alternative to the default.
    pub(crate) first: u32,
    /// The one after that which was chosen, on top of it.
    pub(crate) further: u32,
    /// The one that was chosen, all in all.
    pub(crate) paid: u32,
}

impl Price {
    /// Every alternative is as good as the default.
    pub(crate) const FREE: Self = Self { first: 0, further: 0, paid: 0 };
}

/// A way to bound a search. It remembers something along an execution.
pub(crate) trait Policy {
    /// An execution begins.
    fn begin(&mut self);

    /// The task in the given place of the order: 0 is the default. There are as many as can run.
    fn choose(&mut self, point: &Point<'_>, nth: usize) -> (TaskId, Price);

    /// The tasks that had to stand back for the task just chosen.
    fn put_off(&self) -> &[TaskId];
}
