//! `rr`, `rr:reverse`, `rr:SEED`: round-robin.
//!
//! The tasks form a ring. The current task stays current until it completes, blocks or is delayed; then
//! the next task of the ring becomes current. [POPL11 §3.1, Scheduler 3], and the round-robin scheduler
//! of [TR15 §3].
//!
//! Deviations:
//! 1. [POPL11] has creation order only. That order decides how many delays a bug needs: one
//!    that shows when the task created last runs early costs one delay for each task before it, and none
//!    in the reverse order. So the ring can be arranged in creation order, in its reverse, or in
//!    the order of a seeded hash of the ids.
//! 2. A task that runs keeps its place in the ring, where the paper takes it out and puts it back.

use crate::hash::mix;
use crate::{DelayingScheduler, Ready, TaskId, Why};

/// The order of the tasks in the ring.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Arrangement {
    /// In the order in which they were created.
    #[default]
    Creation,
    /// The task created last comes first.
    Reverse,
    /// In a pseudo-random order, a function of the seed and the tasks' ids.
    Seeded(u64),
}

/// Round-robin.
#[derive(Debug, Default, PartialEq, Eq, Hash)]
pub struct Rr {
    arrangement: Arrangement,
    ring: Vec<TaskId>,
    /// The position of the current task; at most the length of the ring.
    at: usize,
}

reusing_clone!(Rr { arrangement, ring, at });

impl Rr {
    /// An empty ring, with this arrangement.
    pub fn new(arrangement: Arrangement) -> Self {
        Self { arrangement, ring: Vec::new(), at: 0 }
    }

    /// Makes the next enabled task after the current one current.
    #[inline]
    fn turn(&mut self, ready: &Ready<'_>) -> Option<TaskId> {
        let mut at = self.at;
        for _ in 0..self.ring.len() {
            at = if at + 1 < self.ring.len() { at + 1 } else { 0 };
            if ready.contains(self.ring[at]) {
                self.at = at;
                return Some(self.ring[at]);
            }
        }
        None
    }

    fn place_of_new(&self, task: TaskId) -> usize {
        match self.arrangement {
            Arrangement::Creation => self.ring.len(),
            Arrangement::Reverse => 0,
            Arrangement::Seeded(seed) => {
                let rank = |task: &TaskId| (mix(seed, u64::from(task.0)), *task);
                self.ring.partition_point(|other| rank(other) < rank(&task))
            }
        }
    }
}

impl DelayingScheduler for Rr {
    #[inline]
    fn give(&mut self, task: TaskId, why: Why) {
        if let Why::Posted(post) = why {
            let place = self.place_of_new(task);
            self.ring.insert(place, task);
            // The current task stays current; before the first step, the first task of the ring is.
            if post.by.is_some() && place <= self.at {
                self.at += 1;
            }
        }
    }

    #[inline]
    fn take(&mut self, ready: &Ready<'_>) -> Option<TaskId> {
        // The current task is nearly always enabled.
        if let Some(current) = self.ring.get(self.at).filter(|task| ready.contains(**task)) {
            return Some(*current);
        }
        self.turn(ready)
    }

    #[inline]
    fn stays(&self, task: TaskId, _: &Ready<'_>) -> bool {
        self.ring.get(self.at) == Some(&task)
    }

    fn delay(&mut self, _: TaskId) {
        self.at += 1;
        if self.at >= self.ring.len() {
            self.at = 0;
        }
    }

    fn complete(&mut self, task: TaskId) {
        let current = self.ring.get(self.at) == Some(&task);
        let place = if current { Some(self.at) } else { self.ring.iter().position(|other| *other == task) };
        let Some(place) = place else { return };
        self.ring.remove(place);
        if place < self.at {
            self.at -= 1;
        }
        if self.at >= self.ring.len() {
            self.at = 0;
        }
    }

    fn allows_steps_ahead(&self) -> bool {
        true
    }

    fn patience(&self) -> usize {
        self.ring.len()
    }

    fn heap_bytes(&self) -> usize {
        size_of_val(&*self.ring)
    }
}
