//! A set of tasks, in the form that schedulers need.

use dally_schedule::{Ready, TaskId};

/// Tasks, ascending, and their [bits](Ready::bit).
#[derive(Debug, Default)]
pub(super) struct Tasks {
    ids: Vec<TaskId>,
    bits: u64,
}

impl Tasks {
    /// The tasks, ascending.
    #[inline]
    pub(super) fn ids(&self) -> &[TaskId] {
        &self.ids
    }

    #[inline]
    pub(super) fn clear(&mut self) {
        self.ids.clear();
        self.bits = 0;
    }

    /// Adds a task whose id is greater than all others.
    #[inline]
    pub(super) fn push(&mut self, task: TaskId) {
        self.ids.push(task);
        self.bits |= Ready::bit(task);
    }

    /// Copies all tasks of another set.
    pub(super) fn set_to(&mut self, all: &Self) {
        self.ids.clone_from(&all.ids);
        self.bits = all.bits;
    }

    /// Copies all tasks of another set but one.
    #[inline]
    pub(super) fn set_to_all_but(&mut self, one: TaskId, all: &Self) {
        self.ids.clear();
        match all.ids[..] {
            // The most common case, in fewer instructions.
            [first, second] => self.ids.push(if first == one { second } else { first }),
            _ => self.ids.extend(all.ids.iter().filter(|task| **task != one)),
        }
        self.bits = all.bits & !Ready::bit(one);
    }

    pub(super) fn remove(&mut self, task: TaskId) {
        self.ids.retain(|other| *other != task);
        self.bits &= !Ready::bit(task);
    }

    #[inline]
    pub(super) fn contains(&self, task: TaskId) -> bool {
        self.at(0).contains(task)
    }

    /// These tasks, as the enabled tasks of a state. The hash of the steps so far stands for the state.
    #[inline]
    pub(super) fn at(&self, state: u64) -> Ready<'_> {
        Ready::with_bits(&self.ids, self.bits, state)
    }
}
