//! Numbers for the tasks of a trace.

use std::collections::HashMap;

use dally_explore::{Event, TaskId};

/// Numbers tasks in the order in which they are posted.
///
/// Programs reuse the id of a terminated task, so that fewer states differ. A trace gives every task a number of its own.
#[derive(Clone, Debug, Default)]
pub struct TaskNumbers {
    numbers: HashMap<TaskId, u32>,
    posted: u32,
}

impl TaskNumbers {
    /// The number of the task that has this id now; the id itself if no such task was posted.
    pub fn of(&self, task: TaskId) -> u32 {
        self.numbers.get(&task).copied().unwrap_or(task.0)
    }

    /// Numbers the tasks that a step posts.
    pub fn add(&mut self, events: &[Event]) {
        for event in events {
            if let Event::Posted(task, _) = event {
                self.numbers.insert(*task, self.posted);
                self.posted += 1;
            }
        }
    }
}
