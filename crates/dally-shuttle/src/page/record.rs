//! The record of an execution that a page needs: the stack at every step, which tasks were created by whom, and after which
//! steps a task could not continue.

use std::collections::HashMap;
use std::sync::Arc;

use backtrace::Backtrace;
use shuttle::scheduler::TaskId;

use super::objects::Told;
use crate::locate::{self, Site};
use crate::policy::Point;

/// A page shows this many steps from the beginning, and as many from the end.
pub(crate) const SHOWN: usize = 5_000;

/// The record of one execution, filled while it runs.
#[derive(Debug, Default)]
pub(crate) struct Record {
    /// The number of steps of the execution, by an earlier run.
    length: usize,
    /// For each step that is shown, the index of the stack before it, on which the task before it has called the scheduler.
    stacks: HashMap<usize, usize>,
    distinct: Vec<Backtrace>,
    by_frames: HashMap<Vec<usize>, usize>,
    /// The tasks in the order in which they could first run: the task, its parent, and the step before which it was seen.
    pub(super) created: Vec<(TaskId, Option<TaskId>, usize)>,
    /// For each step, true if the task of the step before could continue.
    pub(super) continues: Vec<bool>,
    /// The events of locks and channels.
    pub(super) told: Arc<Told>,
}

/// Where a task has called the scheduler.
#[derive(Clone, Debug, Default)]
pub(super) struct Located {
    pub(super) site: Option<Site>,
    /// False if the task has returned.
    pub(super) runs: bool,
}

impl Record {
    /// Of an execution with this many steps.
    pub(crate) fn new(length: usize) -> Self {
        Self { length, ..Self::default() }
    }

    /// True if the page shows this step, by its index.
    pub(super) fn shows(&self, step: usize) -> bool {
        step < SHOWN || step + SHOWN >= self.length
    }

    /// The events of the runtime, to be filled by a [listener](super::listen).
    pub(crate) fn told(&self) -> Arc<Told> {
        Arc::clone(&self.told)
    }

    /// Called at a scheduling point, on the stack of the task that ran before this step.
    pub(crate) fn look(&mut self, step: usize, point: &Point<'_>) {
        self.told.begin_step(step);
        for task in point.tasks {
            if !self.created.iter().any(|(known, ..)| *known == task.id()) {
                self.created.push((task.id(), task.parent_task_id(), step));
            }
        }
        let current = point.current;
        self.continues.push(point.tasks.iter().any(|task| Some(task.id()) == current));
        if self.shows(step) {
            self.capture(step);
        }
    }

    /// Captures the stack. Most steps have one of few stacks.
    fn capture(&mut self, step: usize) {
        let stack = Backtrace::new_unresolved();
        let frames: Vec<usize> = stack.frames().iter().map(|frame| frame.ip() as usize).collect();
        let next = self.distinct.len();
        let index = *self.by_frames.entry(frames).or_insert(next);
        if index == next {
            self.distinct.push(stack);
        }
        self.stacks.insert(step, index);
    }

    /// For each distinct stack, the location in the code of the user.
    pub(super) fn located(&self) -> Vec<Located> {
        self.distinct.iter().map(locate::located).map(|(site, runs)| Located { site, runs }).collect()
    }

    /// The index of the stack before a step.
    pub(super) fn stack(&self, step: usize) -> Option<usize> {
        self.stacks.get(&step).copied()
    }
}
