//! Search policies: a policy proposes the enabled tasks of a state one after another, each at a cost.
//!
//! Delay bounding, preemption bounding and depth bounding differ only in their policies. The *place* of a policy is
//! its state along an execution (a scheduler, or the task that ran last); its *cursor* is the position in the
//! proposals at one state. The cost of an execution is the sum of the costs of its steps, and a search explores
//! executions in ascending order of cost.

use std::hash::Hash;

use dally_schedule::{Ready, StrategyName, TaskId, Why};

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
    /// True if places are part of states. Then the policy proposes a task again at another place; otherwise it
    /// proposes each enabled task once.
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
#[derive(Clone, Copy, Debug)]
pub struct Happened<'a> {
    /// The task that took the step; `None` for the initial states.
    pub task: Option<TaskId>,
    /// The events of the step.
    pub events: &'a [Event],
    /// The state of the task at the end of the step.
    pub turn: Turn,
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
    /// The state of the policy along an execution.
    type Place: Clone + Hash + Send + Sync;
    /// The position in the proposals at one state; the default is the first.
    type Cursor: Clone + Default + Send + Sync;

    /// The place before the first step.
    fn start(&self) -> Self::Place;

    /// The current proposal.
    fn propose(&self, place: &mut Self::Place, cursor: &mut Self::Cursor, point: &Point<'_>) -> Proposal;

    /// Advances to the next proposal at the same state. Returns its additional cost, or `None` if there is none.
    fn advance(&self, place: &mut Self::Place, cursor: &mut Self::Cursor, point: &Point<'_>) -> Option<u32>;

    /// The place after a step of the proposed task.
    fn after(&self, place: &Self::Place, happened: &Happened<'_>) -> Self::Place;

    /// After the last proposal: the tasks that were not proposed.
    fn omission(&self, place: &Self::Place, cursor: &Self::Cursor, point: &Point<'_>) -> Omission;

    /// The cost of each step, in addition to that of its proposal.
    fn step_cost(&self) -> u32 {
        0
    }

    /// The heap bytes of a place, for the memory limit.
    fn heap_bytes(&self, _place: &Self::Place) -> usize {
        0
    }

    /// The name of the strategy, for schedules and reports.
    fn strategy(&self) -> StrategyName;
}
