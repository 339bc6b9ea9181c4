//! Search policies: a policy proposes the enabled tasks of a state one after another, each at a cost.
//!
//! Delay bounding, preemption bounding and depth bounding differ only in their policies. The *scheduler state* of a
//! policy is what it knows along an execution (the order of tasks, or the task that ran last); its *cursor* is the position in the
//! proposals at one state. The cost of an execution is the sum of the costs of its steps, and a search explores
//! executions in ascending order of cost.

use std::hash::Hash;

use dally_schedule::{Ready, StrategyName, TaskId, Why};

use crate::sight::Sight;
use crate::successors::{Event, Turn};

mod delays;
mod depth;
mod exhaustive;
mod preemptions;

pub use delays::Delays;
pub use depth::Depth;
pub use exhaustive::Exhaustive;
pub use preemptions::{Preemptions, Switches};

/// A point of an execution at which a policy proposes tasks.
#[derive(Clone, Copy, Debug)]
pub struct Point<'a> {
    /// The enabled tasks.
    pub ready: Ready<'a>,
    /// True if a state includes the state of the scheduler. Then the policy proposes a task again in another state of
    /// the scheduler; otherwise it proposes each enabled task once.
    pub exact: bool,
}

/// A proposal of a policy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Proposal {
    /// Run this enabled task.
    Run(TaskId),
    /// Run nothing, and advance: the next task is blocked, or was proposed before.
    Pass,
    /// There are no more proposals.
    End,
}

/// The enabled tasks of a state that were not proposed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Omission {
    /// None: each enabled task was proposed.
    Nothing,
    /// Tasks excluded by a seal.
    Sealed,
    /// Tasks that the policy never proposes.
    Unproposed,
}

/// A step, as a policy observes it.
#[derive(Clone, Copy)]
pub struct Happened<'a> {
    /// The task that took the step; `None` for the initial states.
    pub task: Option<TaskId>,
    /// The events of the step.
    pub events: &'a [Event],
    /// The state of the task at the end of the step.
    pub turn: Turn,
    /// The states before and after it, for schedulers that look at them.
    pub sight: Option<&'a dyn Sight>,
}

impl Happened<'_> {
    #[inline]
    /// Tells a scheduler what happened, in the order of its protocol.
    pub(crate) fn tell(&self, to: &mut impl Listener) {
        for event in self.events {
            match *event {
                Event::Posted(task, mut post) => {
                    post.by = self.task;
                    to.gets(task, Why::Posted(post));
                }
                Event::Woken(task, _) => to.gets(task, Why::Woken(self.task)),
                Event::Ended(task) => to.completes(task),
                Event::Sealed => to.seals(true),
                Event::Unsealed => to.seals(false),
                Event::Chose(..) => {}
            }
        }
        if let Some(task) = self.task {
            match self.turn {
                Turn::Yields => to.gets(task, Why::Yielded),
                Turn::Blocks(on) => to.gets(task, Why::Blocked(on)),
                Turn::Completes => to.completes(task),
            }
        }
    }
}

/// A scheduler that is told what happened.
pub(crate) trait Listener {
    fn gets(&mut self, task: TaskId, why: Why);
    fn completes(&mut self, task: TaskId);
    fn seals(&mut self, sealed: bool);
}

/// Bounds a search: proposes tasks, and assigns costs.
pub trait Policy: Sync {
    /// The state of the policy along an execution: the order of tasks, or the task that ran last.
    type SchedulerState: Clone + Hash + Send + Sync;
    /// The position in the proposals at one state; the default is the first.
    type Cursor: Clone + Default + Hash + Send + Sync;

    /// The state before the first step.
    fn start(&self) -> Self::SchedulerState;

    /// The current proposal.
    fn propose(
        &self,
        scheduler: &mut Self::SchedulerState,
        cursor: &mut Self::Cursor,
        point: &Point<'_>,
    ) -> Proposal;

    /// Advances to the next proposal at the same state. Returns its additional cost, or `None` if there is none.
    fn advance(
        &self,
        scheduler: &mut Self::SchedulerState,
        cursor: &mut Self::Cursor,
        point: &Point<'_>,
    ) -> Option<u32>;

    /// The state after a step of the proposed task.
    fn after(&self, scheduler: &Self::SchedulerState, happened: &Happened<'_>) -> Self::SchedulerState;

    /// After the last proposal: the tasks that were not proposed.
    fn omission(
        &self,
        scheduler: &Self::SchedulerState,
        cursor: &Self::Cursor,
        point: &Point<'_>,
    ) -> Omission;

    /// The cost of each step, in addition to that of its proposal.
    fn step_cost(&self) -> u32 {
        0
    }

    /// Returns true if a search that [reduces](crate::Options::reduction) may take a commuting step of a task that is not
    /// proposed, at no cost. The order of the others stays.
    fn allows_steps_ahead(&self, _scheduler: &Self::SchedulerState) -> bool {
        false
    }

    /// The heap bytes of a state of the policy, for the memory limit.
    fn heap_bytes(&self, _scheduler: &Self::SchedulerState) -> usize {
        0
    }

    /// The name of the strategy, for schedules and reports.
    fn strategy(&self) -> StrategyName;
}
