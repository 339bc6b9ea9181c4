//! `dfs`: depth-first, as in [POPL11].
//!
//! The tasks that a task has posted run before those that were pending when it was dispatched; a task
//! that yields resumes after the tasks that it has posted; a delayed task runs in the next round, after
//! all tasks of this one. [POPL11 §3.2, Scheduler 4].
//!
//! It is *not* non-blocking: it proposes the next task of its order even if that is blocked, and a delay
//! is needed to continue. This is what the sequentialisation dfs(K) of [POPL11 §5] computes.
//!
//! `dfs:reverse` is the order that [POPL11 §5] mentions besides: the tasks that a task has posted run in the reverse order
//! of their posts.
//!
//! Deviations: none.

use crate::{DelayingScheduler, Ready, TaskId, Why};

/// Depth-first, with a yielding task after its children.
#[derive(Debug, Default, PartialEq, Eq, Hash)]
pub struct Dfs {
    /// True if the tasks that a task has posted run in reverse order.
    reverse: bool,
    /// Given since the last dispatch: the handler stack.
    handler: Vec<TaskId>,
    /// To run in this round; the next is the last: the round stack.
    round: Vec<TaskId>,
    /// To run in the next round: the delay stack.
    delayed: Vec<TaskId>,
}

reusing_clone!(Dfs { reverse, handler, round, delayed });

impl Dfs {
    /// The empty scheduler in which the tasks that a task has posted run in reverse order.
    pub fn reverse() -> Self {
        Self { reverse: true, ..Self::default() }
    }
}

impl DelayingScheduler for Dfs {
    fn give(&mut self, task: TaskId, why: Why) {
        match why {
            Why::Woken(_) => {}
            // The task that yields resumes after the tasks that it has posted, in either order.
            Why::Yielded | Why::Blocked(_) if self.reverse => self.handler.insert(0, task),
            _ => self.handler.push(task),
        }
    }

    fn take(&mut self, _: &Ready<'_>) -> Option<TaskId> {
        if self.reverse {
            self.round.append(&mut self.handler);
        } else {
            self.round.extend(self.handler.drain(..).rev());
        }
        if self.round.is_empty() {
            self.round.extend(self.delayed.drain(..).rev());
        }
        self.round.pop()
    }

    fn delay(&mut self, task: TaskId) {
        self.delayed.push(task);
    }

    fn complete(&mut self, task: TaskId) {
        // The running task is in none of the stacks; another task may be in one.
        for stack in [&mut self.handler, &mut self.round, &mut self.delayed] {
            stack.retain(|other| *other != task);
        }
    }

    fn patience(&self) -> usize {
        self.handler.len() + self.round.len() + self.delayed.len() + 1
    }

    fn heap_bytes(&self) -> usize {
        size_of_val(&*self.handler) + size_of_val(&*self.round) + size_of_val(&*self.delayed)
    }
}
