//! Numbers for the tasks and objects of a trace.

use std::collections::HashMap;

use dally_explore::{Event, TaskId};

/// Numbers tasks in the order in which they are posted.
///
/// Programs reuse the id of a terminated task, so that fewer states differ. A trace gives every task a number of its own. It does
/// so for objects, too, which a program may renumber after each step.
#[derive(Clone, Debug, Default)]
pub struct TaskNumbers {
    numbers: HashMap<TaskId, u32>,
    posted: u32,
    /// The numbers of objects, by position in the state.
    objects: Vec<u32>,
    /// The number of objects so far.
    allocated: u32,
}

/// The objects after a step, as its program has moved them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MovedObjects {
    /// For each position after the step, the position before it was moved. New objects follow those of the state before.
    pub order: Vec<u32>,
    /// The number of objects before they were moved.
    pub count: u32,
}

impl TaskNumbers {
    /// The number of the task that has this id now; the id itself if no such task was posted.
    pub fn of(&self, task: TaskId) -> u32 {
        self.numbers.get(&task).copied().unwrap_or(task.0)
    }

    /// The number of the object at a position of the state before the step, or of a new object in the step. The first is 0.
    pub fn object(&self, position: u32) -> u32 {
        let known = self.objects.get(position as usize).copied();
        known.unwrap_or_else(|| self.allocated + position.saturating_sub(self.objects.len() as u32))
    }

    /// Numbers the objects of the state after a step.
    pub(crate) fn move_objects(&mut self, moved: &MovedObjects) {
        let objects = moved.order.iter().map(|old| self.object(*old)).collect();
        self.allocated += moved.count.saturating_sub(self.objects.len() as u32);
        self.objects = objects;
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn objects_keep_their_numbers() {
        let mut numbers = TaskNumbers::default();
        // Three objects; the last one is lost, the others change places.
        assert_eq!([0, 1, 2].map(|new| numbers.object(new)), [0, 1, 2]);
        numbers.move_objects(&MovedObjects { order: vec![1, 0], count: 3 });
        assert_eq!([0, 1].map(|old| numbers.object(old)), [1, 0]);
        // A fourth one, which is reached first.
        assert_eq!(numbers.object(2), 3);
        numbers.move_objects(&MovedObjects { order: vec![2, 0, 1], count: 3 });
        assert_eq!([0, 1, 2, 3].map(|n| numbers.object(n)), [3, 1, 0, 4]);
    }
}
