//! Sealing: a program can fix the order of tasks for a part of an execution.
//!
//! While sealed, a state has exactly one scheduling successor, the next task of the order; delays are
//! pruned, not charged. The sealable schedulers of [TR15 §3]. The coverage of a search is then modulo the
//! seals, and its verdict must say so.
//!
//! Deviations: none; as in Zing, seals do not nest.

use crate::{DelayingScheduler, Observed, Ready, TaskId, Why};

/// A scheduler with seals.
#[derive(Debug, Default, PartialEq, Eq, Hash)]
pub struct Sealable<S> {
    inner: S,
    sealed: bool,
}

reusing_clone!(Sealable<S> { inner, sealed });

impl<S> Sealable<S> {
    /// The scheduler, not sealed.
    pub fn new(inner: S) -> Self {
        Self { inner, sealed: false }
    }

    /// Forbids delays (`true`), or allows them again (`false`).
    pub fn seal(&mut self, sealed: bool) {
        self.sealed = sealed;
    }

    /// True if delays are forbidden now.
    pub fn is_sealed(&self) -> bool {
        self.sealed
    }
}

impl<S: DelayingScheduler> DelayingScheduler for Sealable<S> {
    fn give(&mut self, task: TaskId, why: Why) {
        self.inner.give(task, why);
    }

    fn take(&mut self, ready: &Ready<'_>) -> Option<TaskId> {
        self.inner.take(ready)
    }

    fn delay(&mut self, task: TaskId) {
        self.inner.delay(task);
    }

    fn complete(&mut self, task: TaskId) {
        self.inner.complete(task);
    }

    fn patience(&self) -> usize {
        if self.sealed { 0 } else { self.inner.patience() }
    }

    fn delay_cost(&self) -> u32 {
        self.inner.delay_cost()
    }

    fn allows_steps_ahead(&self) -> bool {
        !self.sealed && self.inner.allows_steps_ahead()
    }

    fn can_delay(&self) -> bool {
        !self.sealed && self.inner.can_delay()
    }

    as_inner_observer!();

    fn heap_bytes(&self) -> usize {
        self.inner.heap_bytes()
    }
}
