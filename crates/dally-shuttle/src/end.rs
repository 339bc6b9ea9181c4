//! Whether an execution came to its end, or was cut off by the limit on steps.
//!
//! Shuttle does not tell its scheduler. When an execution is torn down, though, the labels of its tasks are dropped
//! while its state is still there, configuration included. So a label of ours looks at it.

use std::cell::Cell;
use std::rc::Rc;

use shuttle::current;
use shuttle::scheduler::TaskId;
use shuttle_engine::MaxSteps;
use shuttle_engine::runtime::execution::{CurrentSchedule, ExecutionState};

/// How an execution ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum End {
    /// It has not, or nobody could look.
    #[default]
    Unknown,
    /// It was within the limit.
    Whole,
    /// There is no limit that could cut it off.
    Unlimited,
    /// It reached the limit on steps.
    Cut,
}

/// Watches how executions end.
#[derive(Debug, Default)]
pub(crate) struct Watch(Rc<Cell<End>>);

impl Watch {
    /// An execution begins.
    pub(crate) fn begin(&self) {
        self.0.set(End::Unknown);
    }

    /// Its first task exists. Where it is known that there is no limit, there is nothing to look at.
    pub(crate) fn first_task(&self, first: TaskId, unlimited: bool) {
        if unlimited {
            self.0.set(End::Unlimited);
        } else {
            current::set_label_for_task(first, Label(Rc::clone(&self.0)));
        }
    }

    /// How it ended.
    pub(crate) fn end(&self) -> End {
        self.0.get()
    }
}

/// Tasks inherit it; what the last one sees counts.
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
