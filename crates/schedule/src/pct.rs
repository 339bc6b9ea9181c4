//! `pct:SEED,D`: random priorities with D change points, for comparison.
//!
//! Each task has a random priority, and the enabled task of the highest priority runs; at D random
//! steps, the priority of the task about to run drops below all others. \[PCT §3\]. It samples: one tries many
//! seeds, and with D change points each finds a bug of depth D + 1 with a known probability.
//!
//! Deviations:
//! 1. The change points are drawn from the first 1,000 steps; the paper draws them from the
//!    length of the program, which is measured beforehand.
//! 2. Sampling needs no delays. A delay drops the priority of the task, as a change point does.

use crate::hash::mix;
use crate::{DelayingScheduler, Ready, TaskId, Why};

/// The number of steps from which change points are drawn.
pub(crate) const HORIZON: u64 = 1000;

/// Random priorities with change points.
#[derive(Debug, PartialEq, Eq, Hash)]
pub struct Pct {
    seed: u64,
    /// The number of proposals so far.
    step: u64,
    /// The steps at which a priority drops, descending: the next one is the last.
    changes: Vec<u64>,
    /// The tasks whose priority has dropped, the highest of them first.
    dropped: Vec<TaskId>,
}

reusing_clone!(Pct { seed, step, changes, dropped });

impl Pct {
    /// The priorities and the change points that belong to a seed.
    pub fn new(seed: u64, changes: u32) -> Self {
        Self::within(seed, changes, HORIZON)
    }

    /// The priorities and the change points that belong to a seed; the change points are drawn from the
    /// first `steps` steps, at least one.
    pub fn within(seed: u64, changes: u32, steps: u64) -> Self {
        let mut changes: Vec<_> =
            (0..changes).map(|nth| mix(seed ^ 0x5eed, u64::from(nth)) % steps.max(1)).collect();
        changes.sort_unstable_by(|a, b| b.cmp(a));
        Self { seed, step: 0, changes, dropped: Vec::new() }
    }

    fn highest(&self, ready: &Ready<'_>) -> Option<TaskId> {
        let fresh = ready.enabled().iter().filter(|task| !self.dropped.contains(task));
        let best = fresh.max_by_key(|task| mix(self.seed, u64::from(task.0)));
        best.or_else(|| self.dropped.iter().find(|task| ready.contains(**task))).copied()
    }

    fn drop_priority(&mut self, task: TaskId) {
        self.dropped.retain(|other| *other != task);
        self.dropped.push(task);
    }
}

impl DelayingScheduler for Pct {
    fn give(&mut self, _: TaskId, _: Why) {}

    fn take(&mut self, ready: &Ready<'_>) -> Option<TaskId> {
        while self.changes.last() == Some(&self.step) {
            self.changes.pop();
            let next = self.highest(ready)?;
            self.drop_priority(next);
        }
        self.step += 1;
        self.highest(ready)
    }

    fn delay(&mut self, task: TaskId) {
        self.step -= 1;
        self.drop_priority(task);
    }

    fn complete(&mut self, task: TaskId) {
        self.dropped.retain(|other| *other != task);
    }

    fn heap_bytes(&self) -> usize {
        size_of_val(&*self.changes) + size_of_val(&*self.dropped)
    }
}
