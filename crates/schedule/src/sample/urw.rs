//! `urw`: uniform random walk.
//!
//! A task is picked with a weight that is the number of steps that it and the tasks that it will post still
//! have to take. If these numbers were exact and tasks never blocked, all interleavings would be equally
//! likely; `random` prefers those in which short tasks end early. The idea is that of \[URW\], which shuttle
//! implements as `check_urw`.
//!
//! Deviations:
//! 1. The numbers are the means over all earlier walks; shuttle takes those of the first.
//! 2. Tasks of different walks correspond by their ids; shuttle compares signatures of their creation.

use super::{Estimates, Generator, TaskSampler};
use crate::{Ready, TaskId, Why};

/// Weights tasks by the steps that they have left.
#[derive(Clone, Debug, Default)]
pub struct UniformWalk {
    estimates: Vec<u64>,
    /// The steps that a task and the tasks that it will post have left, by task; at least 1.
    left: Vec<u64>,
}

impl UniformWalk {
    fn left(&self, task: TaskId) -> u64 {
        self.left.get(task.index()).copied().unwrap_or(1).max(1)
    }

    fn subtract(&mut self, task: TaskId, steps: u64) {
        if let Some(left) = self.left.get_mut(task.index()) {
            *left = left.saturating_sub(steps).max(1);
        }
    }
}

impl TaskSampler for UniformWalk {
    fn begin(&mut self, estimates: &Estimates, _: &mut Generator) {
        self.left.clear();
        self.estimates.clear();
        self.estimates.extend(estimates.steps());
    }

    fn give(&mut self, task: TaskId, why: Why) {
        let Why::Posted(post) = why else { return };
        let steps = self.estimates.get(task.index()).copied().unwrap_or(1);
        if let Some(parent) = post.by {
            self.subtract(parent, steps);
        }
        if task.index() < Estimates::MAX_TASKS {
            if self.left.len() <= task.index() {
                self.left.resize(task.index() + 1, 1);
            }
            self.left[task.index()] = steps;
        }
    }

    fn pick(&mut self, ready: &Ready<'_>, random: &mut Generator) -> Option<TaskId> {
        let tasks = ready.enabled();
        let all = tasks.iter().map(|task| self.left(*task)).sum();
        let mut rest = if tasks.len() > 1 { random.below(all) } else { 0 };
        let picked = tasks.iter().copied().find(|task| {
            let left = self.left(*task);
            let found = rest < left;
            rest = rest.saturating_sub(left);
            found
        })?;
        self.subtract(picked, 1);
        Some(picked)
    }
}
