//! `delays`, `delays(S)`: a delaying scheduler, with a few delays at random points.
//!
//! Most bugs need few delays [POPL11 §6]. The number of delays is 1 with probability 1/2, 2 with 1/4, and so
//! on; each delay is at a point drawn from the mean number of scheduling points of earlier walks,
//! within the prefix after which the walk is uniform (see `fair.rs`).

use super::fair::PREFIX;
use super::{Estimates, Generator, TaskSampler};
use crate::{DelayingScheduler, Ready, Scheduler, SchedulerName, TaskId, Why};

/// The limit on the number of delays in one execution.
const MAX_DELAYS: usize = 16;

/// A scheduler with a few delays at random points.
#[derive(Clone, Debug)]
pub struct RandomDelays {
    empty: Scheduler,
    scheduler: Scheduler,
    /// The points of the delays, descending: the next one is the last.
    delays: Vec<u64>,
    /// The number of points so far with several enabled tasks.
    points: u64,
}

impl RandomDelays {
    /// Random delays of this scheduler.
    pub fn new(name: &SchedulerName) -> Self {
        let empty = name.build();
        RandomDelays { scheduler: empty.clone(), empty, delays: Vec::new(), points: 0 }
    }

    /// The next enabled task in the order. Schedulers that propose blocked tasks are delayed until they
    /// propose an enabled one.
    fn take(&mut self, ready: &Ready<'_>) -> Option<TaskId> {
        for _ in 0..=self.scheduler.patience().min(1 << 12) {
            let task = self.scheduler.take(ready)?;
            if ready.contains(task) {
                return Some(task);
            }
            self.scheduler.delay(task);
        }
        None
    }
}

impl TaskSampler for RandomDelays {
    fn begin(&mut self, estimates: &Estimates, random: &mut Generator) {
        self.scheduler.clone_from(&self.empty);
        self.points = 0;
        self.delays.clear();
        while self.delays.len() < MAX_DELAYS && (self.delays.is_empty() || random.one_in(2)) {
            self.delays.push(random.below(estimates.points().min(PREFIX)));
        }
        self.delays.sort_unstable_by(|a, b| b.cmp(a));
    }

    fn give(&mut self, task: TaskId, why: Why) {
        self.scheduler.give(task, why);
    }

    fn complete(&mut self, task: TaskId) {
        self.scheduler.complete(task);
    }

    fn pick(&mut self, ready: &Ready<'_>, _: &mut Generator) -> Option<TaskId> {
        let mut task = self.take(ready);
        if ready.enabled().len() > 1 {
            while self.delays.pop_if(|point| *point <= self.points).is_some()
                && let Some(delayed) = task
            {
                self.scheduler.delay(delayed);
                task = self.take(ready);
            }
            self.points += 1;
        }
        // A scheduler may have no task to propose, if it never proposes some of them.
        task.or_else(|| ready.enabled().first().copied())
    }
}
