//! `df`: depth-first by rounds, as in [SPIN14].
//!
//! The next task is the first, in depth-first order of the tree of posts, among those of the least
//! round, *whether it waits or not*. A delay moves it to the next round. The scheduler DF of
//! [SPIN14 §3], without its counter of delays, which the caller keeps.
//!
//! Unlike in [`dfs`](crate::Dfs), a yielding task resumes before its children. As there, a blocked
//! task is proposed, and costs a delay.
//!
//! Deviations:
//! 1. Rounds count from the least one that is in use, so that equal orders are equal values.

use crate::tree::Tree;
use crate::{DelayingScheduler, Ready, TaskId, Why};

/// Depth-first by rounds.
#[derive(Debug, Default, PartialEq, Eq, Hash)]
pub struct Df {
    tree: Tree,
}

reusing_clone!(Df { tree });

impl DelayingScheduler for Df {
    fn give(&mut self, task: TaskId, why: Why) {
        if let Why::Posted(post) = why {
            self.tree.add(task, post.by);
        }
    }

    fn take(&mut self, _: &Ready<'_>) -> Option<TaskId> {
        self.tree.least(|_| true)
    }

    fn delay(&mut self, task: TaskId) {
        if let Some(place) = self.tree.find(task) {
            self.tree.node_mut(place).round += 1;
        }
        self.tree.rebase();
    }

    fn complete(&mut self, task: TaskId) {
        self.tree.remove(task);
        self.tree.rebase();
    }

    fn patience(&self) -> usize {
        self.tree.patience()
    }

    fn heap_bytes(&self) -> usize {
        self.tree.heap_bytes()
    }
}
