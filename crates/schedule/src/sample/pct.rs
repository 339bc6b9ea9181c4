//! `pct:D`: random priorities, and D points at which the running task gets the lowest.
//!
//! [PCT]: a bug that needs D ordering constraints among n tasks in k steps is found with a probability of at
//! least 1 / (n kᴰ⁻¹). A task that is created in the course of an execution gets a random priority, too.
//!
//! Deviations:
//! 1. k is not given: change points are drawn from the mean number of scheduling points of earlier walks.
//! 2. After a prefix, the walk is uniform (see `fair.rs`): change points lie in that prefix.
//! 3. Points with one enabled task are not counted ([PCT §4.1]).

use super::fair::PREFIX;
use super::{Estimates, Generator, TaskSampler};
use crate::{DelayingScheduler, Pct, Ready, TaskId};

/// Random priorities with change points.
#[derive(Clone, Debug)]
pub struct RandomPriorities {
    changes: u32,
    priorities: Pct,
}

impl RandomPriorities {
    /// Random priorities with this many change points.
    pub fn new(changes: u32) -> Self {
        RandomPriorities { changes, priorities: Pct::new(0, 0) }
    }
}

impl TaskSampler for RandomPriorities {
    fn begin(&mut self, estimates: &Estimates, random: &mut Generator) {
        self.priorities = Pct::within(random.next_number(), self.changes, estimates.points().min(PREFIX));
    }

    fn complete(&mut self, task: TaskId) {
        self.priorities.complete(task);
    }

    fn pick(&mut self, ready: &Ready<'_>, _: &mut Generator) -> Option<TaskId> {
        match ready.enabled() {
            [only] => Some(*only),
            _ => self.priorities.take(ready),
        }
    }
}
