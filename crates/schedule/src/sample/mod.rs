//! Samplers: random orders of tasks, one execution at a time.
//!
//! A sampler picks one of the enabled tasks at each scheduling point of a random walk. Samplers differ in
//! the executions that they make likely; each is one module, and [the table](names::SAMPLERS) lists their
//! names. A walk is a function of its seed and of the [estimates](Estimates) from earlier walks, so that it
//! can be repeated.

mod delays;
mod estimates;
mod fair;
mod generator;
pub mod names;
mod pct;
mod pos;
mod random;
mod urw;

pub use delays::RandomDelays;
pub use estimates::{Estimates, Profile};
pub use fair::FairSuffix;
pub use generator::Generator;
pub use names::SamplerName;
pub use pct::RandomPriorities;
pub use pos::PartialOrders;
pub use random::Uniform;
pub use urw::UniformWalk;

use crate::{Ready, TaskId, Why};

/// Picks the tasks of random executions.
///
/// The protocol: [`begin`](Self::begin) starts an execution; its first tasks are [given](Self::give). Then
/// the caller repeats: it picks a task, runs it, gives the tasks that it posted and woke, and finally gives
/// back the task itself, or [completes](Self::complete) it, as with a
/// [`DelayingScheduler`](crate::DelayingScheduler). Where a program fixes the order of its tasks, only one
/// of them is ready.
///
/// A sampler may [want conflicts](Self::wants_conflicts): then, between picking a task and running it, the
/// caller reports each [conflict](Self::conflict) of its step with the next step of another enabled task.
pub trait TaskSampler: Send {
    /// A new execution begins.
    fn begin(&mut self, estimates: &Estimates, random: &mut Generator);

    /// A task was posted, yielded, blocked, or was woken.
    fn give(&mut self, _task: TaskId, _why: Why) {}

    /// A task has completed.
    fn complete(&mut self, _task: TaskId) {}

    /// Picks the task that runs next; `None` if none is ready.
    fn pick(&mut self, ready: &Ready<'_>, random: &mut Generator) -> Option<TaskId>;

    /// Returns true if conflicts are to be reported. By default they are not, and cost nothing.
    fn wants_conflicts(&self) -> bool {
        false
    }

    /// The next step of an enabled task conflicts with that of the task that was picked: they may not commute.
    fn conflict(&mut self, _task: TaskId) {}
}
