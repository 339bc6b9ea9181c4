//! A budget of delays, for callers that run one execution at a time.
//!
//! [POPL11 §3]: an execution is K-delay-bounded if it has at most K delays. Searches that explore many executions at
//! once count delays themselves.

use crate::{DelayingScheduler, Observed, Ready, TaskId, Why};

/// A scheduler with a limit on the total cost of its delays.
#[derive(Debug, PartialEq, Eq, Hash)]
pub struct DelayBudget<S> {
    inner: S,
    left: u32,
}

reusing_clone!(DelayBudget<S> { inner, left });

impl<S> DelayBudget<S> {
    /// The scheduler, with this many delays.
    pub fn new(inner: S, delays: u32) -> Self {
        Self { inner, left: delays }
    }

    /// The rest of the budget.
    pub fn left(&self) -> u32 {
        self.left
    }
}

impl<S: DelayingScheduler> DelayingScheduler for DelayBudget<S> {
    fn give(&mut self, task: TaskId, why: Why) {
        self.inner.give(task, why);
    }

    fn take(&mut self, ready: &Ready<'_>) -> Option<TaskId> {
        self.inner.take(ready)
    }

    /// Spends the cost; the caller checks [`can_delay`](DelayingScheduler::can_delay) first.
    fn delay(&mut self, task: TaskId) {
        self.left = self.left.saturating_sub(self.inner.cost_of_delay(task));
        self.inner.delay(task);
    }

    fn complete(&mut self, task: TaskId) {
        self.inner.complete(task);
    }

    as_inner!();

    fn can_delay(&self) -> bool {
        self.left >= self.inner.delay_cost() && self.inner.can_delay()
    }

    as_inner_observer!();

    fn heap_bytes(&self) -> usize {
        self.inner.heap_bytes()
    }
}
