//! `bounded-bag:N`: the bag that drops the N+1st copy of a task.
//!
//! [POPL11 §2.1, Scheduler 2]. It keeps the number of pending tasks finite in programs that post without bound. It is
//! *lossy*, as the only scheduler here: a dropped task is never proposed, so its steps are not covered.
//!
//! Deviations:
//! 1. Tasks are copies of each other if they have the same [`Post::kind`](crate::Post::kind).
//! 2. As in [`bag`](crate::Bag), delays are free and blocked tasks are not proposed.

use crate::{DelayingScheduler, Ready, TaskId, Why};

/// The bag that drops the N+1st pending copy of a task.
#[derive(Debug, PartialEq, Eq, Hash)]
pub struct BoundedBag {
    /// The limit on pending copies.
    bound: usize,
    /// The pending tasks that have a kind.
    pending: Vec<(TaskId, u64)>,
    /// The tasks that were dropped, ascending.
    dropped: Vec<TaskId>,
    /// The tasks up to this one were proposed and delayed at the current scheduling point.
    skipped: Option<TaskId>,
}

reusing_clone!(BoundedBag { bound, pending, dropped, skipped });

impl BoundedBag {
    /// A bag that holds up to `bound` copies of each task.
    pub fn new(bound: usize) -> Self {
        Self { bound, pending: Vec::new(), dropped: Vec::new(), skipped: None }
    }

    fn copies(&self, kind: u64) -> usize {
        self.pending.iter().filter(|(_, other)| *other == kind).count()
    }
}

impl DelayingScheduler for BoundedBag {
    fn give(&mut self, task: TaskId, why: Why) {
        self.skipped = None;
        let Why::Posted(post) = why else { return };
        if post.kind == 0 {
            return;
        }
        if self.copies(post.kind) < self.bound {
            self.pending.push((task, post.kind));
        } else if let Err(place) = self.dropped.binary_search(&task) {
            self.dropped.insert(place, task);
        }
    }

    fn take(&mut self, ready: &Ready<'_>) -> Option<TaskId> {
        let from = self.skipped.map_or(0, |last| ready.enabled().partition_point(|task| *task <= last));
        let rest = ready.enabled().get(from..)?;
        rest.iter().copied().find(|task| self.dropped.binary_search(task).is_err())
    }

    fn delay(&mut self, task: TaskId) {
        self.skipped = Some(task);
    }

    fn complete(&mut self, task: TaskId) {
        self.skipped = None;
        self.pending.retain(|(other, _)| *other != task);
        self.dropped.retain(|other| *other != task);
    }

    fn delay_cost(&self) -> u32 {
        0
    }

    fn heap_bytes(&self) -> usize {
        size_of_val(&*self.pending) + size_of_val(&*self.dropped)
    }
}
