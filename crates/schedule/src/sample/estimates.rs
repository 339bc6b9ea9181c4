//! Estimates of the length of executions, from earlier walks.

use crate::{Post, TaskId};

/// The number of points before there are estimates.
const FIRST_GUESS: u64 = 64;

/// The sizes of executions, estimated from earlier ones. They depend on the order in which
/// [profiles](Profile) are added only by rounding; callers add them in the order of the walks.
#[derive(Clone, Debug, Default)]
pub struct Estimates {
    walks: u64,
    points: u64,
    steps: u64,
    tasks: Vec<TaskSteps>,
}

/// The steps of a task, and of the tasks that it posts, in all walks that have the task.
#[derive(Clone, Copy, Debug, Default)]
struct TaskSteps {
    walks: u64,
    steps: u64,
}

impl Estimates {
    /// The limit on the number of tasks with an estimate of their own.
    pub const MAX_TASKS: usize = 1 << 12;

    /// Adds an execution.
    pub fn add(&mut self, profile: &Profile) {
        self.walks += 1;
        self.points += profile.points;
        self.steps += profile.steps;
        if self.tasks.len() < profile.tasks.len() {
            self.tasks.resize(profile.tasks.len(), TaskSteps::default());
        }
        for (task, steps) in self.tasks.iter_mut().zip(profile.with_posted()) {
            if let Some(steps) = steps {
                task.walks += 1;
                task.steps += steps;
            }
        }
    }

    /// The number of scheduling points with several enabled tasks: their mean, at least 1.
    pub fn points(&self) -> u64 {
        if self.walks == 0 { FIRST_GUESS } else { self.points.div_ceil(self.walks).max(1) }
    }

    /// The mean number of steps of an execution.
    pub fn length(&self) -> u64 {
        if self.walks == 0 { FIRST_GUESS } else { self.steps.div_ceil(self.walks).max(1) }
    }

    /// The number of steps of each task, with those of the tasks that it posts.
    pub fn steps(&self) -> impl Iterator<Item = u64> + '_ {
        self.tasks.iter().map(|task| task.steps.div_ceil(task.walks.max(1)).max(1))
    }
}

/// The size of one execution.
#[derive(Clone, Debug, Default)]
pub struct Profile {
    /// The number of scheduling points with several enabled tasks.
    pub points: u64,
    /// The number of steps.
    pub steps: u64,
    tasks: Vec<TaskProfile>,
}

#[derive(Clone, Copy, Debug, Default)]
struct TaskProfile {
    steps: u64,
    exists: bool,
    parent: Option<TaskId>,
}

impl Profile {
    /// A task was posted.
    pub fn post(&mut self, task: TaskId, post: &Post) {
        if task.index() < Estimates::MAX_TASKS {
            if self.tasks.len() <= task.index() {
                self.tasks.resize(task.index() + 1, TaskProfile::default());
            }
            self.tasks[task.index()] = TaskProfile { steps: 0, exists: true, parent: post.by };
        }
    }

    /// A task takes a step, at a point with this many enabled tasks.
    pub fn step(&mut self, task: TaskId, enabled: usize) {
        self.steps += 1;
        self.points += u64::from(enabled > 1);
        if let Some(task) = self.tasks.get_mut(task.index()) {
            task.steps += 1;
        }
    }

    /// The steps of each task, with those of the tasks that it posts.
    fn with_posted(&self) -> Vec<Option<u64>> {
        let mut all: Vec<u64> = self.tasks.iter().map(|task| task.steps).collect();
        // Tasks are numbered in the order of their creation, so each comes after its parent.
        for (child, task) in self.tasks.iter().enumerate().rev() {
            if let Some(parent) = task.parent.filter(|parent| parent.index() < child) {
                all[parent.index()] += all[child];
            }
        }
        all.into_iter().zip(&self.tasks).map(|(steps, task)| task.exists.then_some(steps)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_of_posted_tasks_count_for_the_poster() {
        let mut profile = Profile::default();
        let by = |task| Post { by: Some(TaskId(task)), ..Post::default() };
        profile.post(TaskId(0), &Post::default());
        profile.post(TaskId(1), &by(0));
        profile.post(TaskId(2), &by(1));
        for (task, enabled) in [(0, 1), (1, 2), (2, 3), (2, 2), (0, 1)] {
            profile.step(TaskId(task), enabled);
        }
        let mut estimates = Estimates::default();
        estimates.add(&profile);
        assert_eq!(estimates.steps().collect::<Vec<_>>(), [5, 3, 2]);
        assert_eq!((estimates.points(), estimates.length()), (3, 5));
        // A walk in which only the first task exists.
        let mut short = Profile::default();
        short.post(TaskId(0), &Post::default());
        short.step(TaskId(0), 1);
        estimates.add(&short);
        assert_eq!(estimates.steps().collect::<Vec<_>>(), [3, 3, 2]);
        assert_eq!((estimates.points(), estimates.length()), (2, 3));
    }
}
