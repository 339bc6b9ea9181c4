//! What a bounded search counts: a policy proposes the tasks of a state one after another, each at a
//! cost.
//!
//! Delay bounding, preemption bounding and depth bounding differ in this only. A policy remembers
//! something along an execution, its *place* (a scheduler, the task that ran last); at a state, its
//! *cursor* says how far the proposals have got. Costs only ever add up, and a search goes through
//! executions in the order of their cost.

use std::hash::Hash;

use dally_schedule::{Ready, StrategyName, TaskId};

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
    /// Who can move.
    pub ready: Ready<'a>,
    /// Whether places count as part of a state. If they do not, it is enough to propose each enabled
    /// task once; if they do, the same task at another place is worth another try.
    pub exact: bool,
}

/// What a policy proposes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Proposal {
    /// Run this task, which is enabled.
    Run(TaskId),
    /// Run nothing, and ask again: the task that is due is blocked, or was proposed before.
    Pass,
    /// There is nothing more.
    End,
}

/// What was left out at a state, in the end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Omission {
    /// Nothing: each enabled task was proposed.
    Nothing,
    /// Tasks that a seal excludes.
    Sealed,
    /// Tasks that the policy never proposes.
    Unproposed,
}

/// What happened in a step, for the policy.
#[derive(Clone, Copy, Debug)]
pub struct Happened<'a> {
    /// The task that took the step; none for the initial states.
    pub task: Option<TaskId>,
    /// What the step did.
    pub events: &'a [Event],
    /// How the task left it.
    pub turn: Turn,
}

/// A way to bound a search.
pub trait Policy: Sync {
    /// What it remembers along an execution.
    type Place: Clone + Hash + Send + Sync;
    /// How far the proposals at a state have got; the default is the beginning.
    type Cursor: Clone + Default + Send + Sync;

    /// The place before anything has happened.
    fn start(&self) -> Self::Place;

    /// The proposal that is due.
    fn propose(&self, place: &mut Self::Place, cursor: &mut Self::Cursor, point: &Point<'_>) -> Proposal;

    /// Goes on to the next proposal at the same state: what it costs more, or `None` if there is none.
    fn advance(&self, place: &mut Self::Place, cursor: &mut Self::Cursor, point: &Point<'_>) -> Option<u32>;

    /// The place after the proposed task has run.
    fn after(&self, place: &Self::Place, happened: &Happened<'_>) -> Self::Place;

    /// Once there are no more proposals: what was left out.
    fn omission(&self, place: &Self::Place, cursor: &Self::Cursor, point: &Point<'_>) -> Omission;

    /// What each step costs by itself.
    fn step_cost(&self) -> u32 {
        0
    }

    /// Bytes that a place holds beyond its own size, for the memory budget.
    fn heap_bytes(&self, _place: &Self::Place) -> usize {
        0
    }

    /// The strategy that it implements, which schedules and reports carry.
    fn strategy(&self) -> StrategyName;
}
