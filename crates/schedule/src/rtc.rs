//! `rtc`: run to completion, along the causes of events.
//!
//! A stack. A task that is posted or sent a message moves to the top and runs next; when it blocks, its
//! sender below runs. A delay moves the top to the bottom, and so deviates from the causal
//! order. The run-to-completion scheduler of [TR15 §3].
//!
//! Deviations:
//! 1. In Zing, which [TR15] describes, a blocked process leaves the stack, and returns on top when it is
//!    enabled. Here it keeps its place and is passed over, since the program determines the enabled tasks; a task
//!    that is woken moves to the top.
//! 2. There, an enabled process that is sent another message keeps its place. Here it moves to the top
//!    as well: it is the receiver of the last message.

use smallvec::SmallVec;

use crate::{DelayingScheduler, Ready, TaskId, Why};

/// Run to completion.
#[derive(Debug, Default, PartialEq, Eq, Hash)]
pub struct Rtc {
    /// The top is the last. Up to eight tasks take no memory of their own: there is a stack for each state in the frontier.
    stack: SmallVec<[TaskId; 8]>,
}

impl Clone for Rtc {
    fn clone(&self) -> Self {
        // Copying a slice is much faster than the general way.
        Self { stack: SmallVec::from_slice(&self.stack) }
    }

    fn clone_from(&mut self, other: &Self) {
        self.stack.clear();
        self.stack.extend_from_slice(&other.stack);
    }
}

impl Rtc {
    fn position(&self, task: TaskId) -> Option<usize> {
        self.stack.iter().rposition(|other| *other == task)
    }

    /// Moves a task to the top. It is usually near the top: a loop of swaps takes fewer instructions than a `memmove`.
    fn raise(&mut self, task: TaskId) {
        let Some(mut place) = self.position(task) else { return };
        while place + 1 < self.stack.len() {
            self.stack.swap(place, place + 1);
            place += 1;
        }
    }
}

impl DelayingScheduler for Rtc {
    #[inline]
    fn give(&mut self, task: TaskId, why: Why) {
        match why {
            // The first tasks have no poster: they run in the order in which they are given.
            Why::Posted(post) if post.by.is_none() => self.stack.insert(0, task),
            Why::Posted(_) => self.stack.push(task),
            Why::Woken(_) => self.raise(task),
            Why::Yielded | Why::Blocked(_) => {}
        }
    }

    #[inline]
    fn take(&mut self, ready: &Ready<'_>) -> Option<TaskId> {
        self.stack.iter().rev().copied().find(|task| ready.contains(*task))
    }

    #[inline]
    fn stays(&self, task: TaskId, ready: &Ready<'_>) -> bool {
        match self.stack[..] {
            // The task above may have completed, or be blocked.
            [.., below, top] => top == task || below == task && ready.lacks(top),
            [only] => only == task,
            [] => false,
        }
    }

    fn delay(&mut self, task: TaskId) {
        // The task moves to the bottom, and each task below it one up. It was proposed, so it is in the stack.
        let mut lifted = task;
        for place in &mut self.stack {
            std::mem::swap(place, &mut lifted);
            if lifted == task {
                return;
            }
        }
    }

    fn complete(&mut self, task: TaskId) {
        if let Some(place) = self.position(task) {
            self.stack.remove(place);
        }
    }

    fn allows_steps_ahead(&self) -> bool {
        true
    }

    fn patience(&self) -> usize {
        self.stack.len()
    }

    fn heap_bytes(&self) -> usize {
        if self.stack.spilled() { size_of_val(&*self.stack) } else { 0 }
    }
}
