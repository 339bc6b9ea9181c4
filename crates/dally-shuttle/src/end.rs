//! Detecting whether an execution terminated, or was cut off by the limit on steps.
//!
//! Shuttle does not report this to its scheduler. But when an execution is torn down, the labels of its tasks are dropped
//! while its state, with the configuration, still exists. So a label of ours reads the state when it is dropped.

use std::cell::Cell;
use std::rc::Rc;

use shuttle::current;
use shuttle::scheduler::TaskId;
use shuttle_engine::MaxSteps;
use shuttle_engine::runtime::execution::{CurrentSchedule, ExecutionState};

/// The end of an execution.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum End {
    /// It has not ended, or its end was not observed.
    #[default]
    Unknown,
    /// It ended within the limit.
    Whole,
    /// The runner has no limit that cuts executions off.
    Unlimited,
    /// It reached the limit on steps.
    Cut,
}

/// Observes the end of executions.
#[derive(Debug, Default)]
pub(crate) struct Watch(Rc<Cell<End>>);

impl Watch {
    /// An execution begins.
    pub(crate) fn begin(&self) {
        self.0.set(End::Unknown);
    }

    /// Its first task exists. If the runner is known to have no limit, the end need not be observed.
    pub(crate) fn first_task(&self, first: TaskId, unlimited: bool) {
        if unlimited {
            self.0.set(End::Unlimited);
        } else {
            current::set_label_for_task(first, Label(Rc::clone(&self.0)));
        }
    }

    /// The end of the execution.
    pub(crate) fn end(&self) -> End {
        self.0.get()
    }
}

/// A label that all tasks inherit; the one that is dropped last determines the result.
#[derive(Clone, Debug)]
struct Label(Rc<Cell<End>>);

impl Drop for Label {
    fn drop(&mut self) {
        let limits = ExecutionState::try_with(|state| (state.config.max_steps, state.steps_reset_at));
        let Ok((limit, since)) = limits else { return };
        let reached = |limit: usize| CurrentSchedule::len().saturating_sub(since) >= limit;
        self.0.set(match limit {
            MaxSteps::ContinueAfter(limit) if reached(limit) => End::Cut,
            MaxSteps::ContinueAfter(_) => End::Whole,
            _ => End::Unlimited,
        });
    }
}
