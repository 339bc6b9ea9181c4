//! `random:SEED`: a new pseudo-random order of the enabled tasks at each state.
//!
//! The random scheduler of [TR15 §3], the baseline for the other orders. A delay skips the task.
//!
//! Deviations:
//! 1. In Zing the order comes from a generator seeded by the clock, so a run cannot be repeated. Here it is a function of the seed and of the hash of the program's state
//!    ([`Ready::state`]) only.

use crate::hash::mix;
use crate::{DelayingScheduler, Ready, TaskId, Why};

/// A pseudo-random order at each state.
#[derive(Debug, Default, PartialEq, Eq, Hash)]
pub struct Random {
    seed: u64,
    /// The last task that was proposed and delayed at the current scheduling point.
    skipped: Option<TaskId>,
    /// The task proposed last.
    proposed: Option<TaskId>,
}

reusing_clone!(Random { seed, skipped, proposed });

impl Random {
    /// The orders that belong to a seed.
    pub fn new(seed: u64) -> Self {
        Self { seed, skipped: None, proposed: None }
    }

    fn moved_on(&mut self) {
        (self.skipped, self.proposed) = (None, None);
    }
}

impl DelayingScheduler for Random {
    fn give(&mut self, _: TaskId, _: Why) {
        self.moved_on();
    }

    fn take(&mut self, ready: &Ready<'_>) -> Option<TaskId> {
        let here = mix(self.seed, ready.state());
        let rank = |task: TaskId| (mix(here, u64::from(task.0)), task);
        let skipped = self.skipped.map(rank);
        let ranks = ready.enabled().iter().map(|task| rank(*task));
        self.proposed = ranks.filter(|rank| Some(*rank) > skipped).min().map(|(_, task)| task);
        self.proposed
    }

    fn delay(&mut self, _: TaskId) {
        self.skipped = self.proposed.take();
    }

    fn complete(&mut self, _: TaskId) {
        self.moved_on();
    }

    fn allows_steps_ahead(&self) -> bool {
        true
    }
}
