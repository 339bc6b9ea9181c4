//! `priority(S)`: the highest level first, and the order of S among equals.
//!
//! In [FSE12 §3] only a task of the highest level of its buffer may be dispatched. A delay postpones a
//! task *within* its level: a task is not proposed while one of a higher level is enabled in the same
//! buffer. Buffers do not affect each other.
//!
//! Deviations:
//! 1. The paper leaves the order among equals open; here it is any other scheduler's.
//! 2. Interruption is up to the program: an interrupted task is not enabled.

use crate::{DelayingScheduler, Observed, Ready, TaskId, Why};

/// The highest level first.
#[derive(Debug, PartialEq, Eq, Hash)]
pub struct Priority<S> {
    inner: S,
    /// Level and buffer of the tasks that are not in buffer 0 at level 0, ascending by task.
    ranks: Vec<(TaskId, Rank)>,
}

reusing_clone!(Priority<S> { inner, ranks });

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
struct Rank {
    buffer: u32,
    level: u32,
}

impl<S> Priority<S> {
    /// The given order among tasks of the same level.
    pub fn new(inner: S) -> Self {
        Self { inner, ranks: Vec::new() }
    }

    fn rank(&self, task: TaskId) -> Rank {
        let place = self.ranks.binary_search_by_key(&task, |(other, _)| *other);
        place.map_or(Rank::default(), |place| self.ranks[place].1)
    }

    fn set_rank(&mut self, task: TaskId, rank: Rank) {
        self.ranks.retain(|(other, _)| *other != task);
        if rank != Rank::default() {
            let place = self.ranks.partition_point(|(other, _)| *other < task);
            self.ranks.insert(place, (task, rank));
        }
    }

    /// True if no enabled task of the same buffer has a higher level.
    fn is_highest(&self, task: TaskId, ready: &Ready<'_>) -> bool {
        let Rank { buffer, level } = self.rank(task);
        let higher = |(other, rank): &(TaskId, Rank)| {
            rank.buffer == buffer && rank.level > level && ready.contains(*other)
        };
        !self.ranks.iter().any(higher)
    }
}

impl<S: DelayingScheduler> DelayingScheduler for Priority<S> {
    fn give(&mut self, task: TaskId, why: Why) {
        if let Why::Posted(post) = why {
            self.set_rank(task, Rank { buffer: post.buffer, level: post.level });
        }
        self.inner.give(task, why);
    }

    fn take(&mut self, ready: &Ready<'_>) -> Option<TaskId> {
        if self.ranks.is_empty() {
            return self.inner.take(ready);
        }
        let highest: Vec<_> =
            ready.enabled().iter().copied().filter(|task| self.is_highest(*task, ready)).collect();
        self.inner.take(&Ready::at(&highest, ready.state()))
    }

    fn delay(&mut self, task: TaskId) {
        self.inner.delay(task);
    }

    fn complete(&mut self, task: TaskId) {
        self.set_rank(task, Rank::default());
        self.inner.complete(task);
    }

    as_inner!();

    fn can_delay(&self) -> bool {
        self.inner.can_delay()
    }

    as_inner_observer!();

    fn heap_bytes(&self) -> usize {
        self.inner.heap_bytes() + size_of_val(&*self.ranks)
    }
}
