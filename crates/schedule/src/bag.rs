//! `bag`: every enabled task is a choice, the nondeterministic reference.
//!
//! The bag scheduler of [POPL11 §2.1, Scheduler 1], which every other refines. It proposes the enabled
//! tasks in the order of their ids, and delays cost nothing.
//!
//! Deviations:
//! 1. A nondeterministic `take` is a deterministic one with free delays.
//! 2. Blocked tasks are not proposed, while the multiset of the paper would return them.

use crate::{DelayingScheduler, Ready, TaskId, Why};

/// Every enabled task is a choice.
#[derive(Debug, Default, PartialEq, Eq, Hash)]
pub struct Bag {
    /// The tasks up to this one were proposed and delayed at the current scheduling point.
    skipped: Option<TaskId>,
}

reusing_clone!(Bag { skipped });

impl DelayingScheduler for Bag {
    fn give(&mut self, _: TaskId, _: Why) {
        self.skipped = None;
    }

    fn take(&mut self, ready: &Ready<'_>) -> Option<TaskId> {
        let from = self.skipped.map_or(0, |last| ready.enabled().partition_point(|task| *task <= last));
        ready.enabled().get(from).copied()
    }

    fn delay(&mut self, task: TaskId) {
        self.skipped = Some(task);
    }

    fn complete(&mut self, _: TaskId) {
        self.skipped = None;
    }

    fn delay_cost(&self) -> u32 {
        0
    }
}
