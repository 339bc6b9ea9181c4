//! How each node of a search was reached: a tree of hops, from which schedules are read off.

use std::num::NonZeroU32;

use dally_schedule::TaskId;

use crate::schedule::{Schedule, Step};

/// The place of a node in the tree of hops.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Trail(NonZeroU32);

impl Trail {
    /// That of the hop at this place.
    #[inline]
    pub(crate) fn at(place: usize) -> Self {
        let number = u32::try_from(place).ok().and_then(|place| NonZeroU32::MIN.checked_add(place));
        Self(number.expect("a search has fewer than 2³² - 1 states"))
    }

    /// How many hops come before it.
    #[inline]
    pub(crate) fn place(self) -> u32 {
        self.0.get() - 1
    }
}

/// One step from a node to another.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Hop {
    /// Where from; none for initial states.
    pub(crate) from: Option<Trail>,
    pub(crate) task: TaskId,
    /// Which outcome of the step, or which initial state.
    pub(crate) choice: u32,
    /// What was spent at the node it starts from.
    pub(crate) cost: u32,
}

const _: () = assert!(size_of::<Hop>() == 16, "there is one for each state");

/// Hops in a chunk that is filled one by one.
const CHUNK: usize = 1 << 15;

/// Hops that are fewer than this are not worth a chunk.
const FEW: usize = 256;

/// All hops of a search.
#[derive(Debug, Default)]
pub(crate) struct Trails {
    /// In chunks, so that nothing is moved when there are more, each with the place of its first. Invariants: none is
    /// empty; a hop comes after the one that it continues.
    chunks: Vec<(usize, Vec<Hop>)>,
    len: usize,
}

impl Trails {
    /// The place of the hop that is added next.
    #[inline]
    pub(crate) fn end(&self) -> usize {
        self.len
    }

    /// Adds a hop.
    #[inline]
    pub(crate) fn push(&mut self, hop: Hop) -> Trail {
        let trail = Trail::at(self.len);
        match self.chunks.last_mut() {
            Some((_, last)) if last.len() < CHUNK => last.push(hop),
            last => {
                let mut chunk = Vec::with_capacity(if last.is_some() { CHUNK } else { 1 });
                chunk.push(hop);
                self.chunks.push((self.len, chunk));
            }
        }
        self.len += 1;
        trail
    }

    /// Adds hops.
    pub(crate) fn append(&mut self, mut hops: Vec<Hop>) {
        let (first, more) = (self.len, hops.len());
        match self.chunks.last_mut() {
            Some((_, last)) if more < FEW && last.len() < CHUNK => last.append(&mut hops),
            _ if more == 0 => {}
            _ => self.chunks.push((first, hops)),
        }
        self.len += more;
    }

    fn get(&self, trail: Trail) -> Hop {
        let place = trail.place() as usize;
        let (first, chunk) = &self.chunks[self.chunks.partition_point(|(first, _)| *first <= place) - 1];
        chunk[place - first]
    }

    /// How many initial states there are; they come first.
    pub(crate) fn initial(&self) -> u32 {
        let hops = self.chunks.iter().flat_map(|(_, chunk)| chunk);
        hops.take_while(|hop| hop.from.is_none()).count() as u32
    }

    pub(crate) fn bytes(&self) -> usize {
        self.chunks.iter().map(|(_, chunk)| chunk.capacity()).sum::<usize>() * size_of::<Hop>()
    }

    /// The schedule that leads to a node, and by one more hop beyond it.
    pub(crate) fn schedule(&self, policy: String, to: Option<Trail>, last: Option<Hop>) -> Schedule {
        let mut schedule = Schedule { policy, ..Schedule::default() };
        let mut from = to;
        match last {
            Some(Hop { from: None, choice, .. }) => schedule.initial = choice,
            Some(hop) => schedule.steps.push(Step { task: hop.task, cost: hop.cost, choice: hop.choice }),
            None => {}
        }
        while let Some(trail) = from {
            let hop = self.get(trail);
            match hop.from {
                Some(_) => schedule.steps.push(Step { task: hop.task, cost: hop.cost, choice: hop.choice }),
                None => schedule.initial = hop.choice,
            }
            from = hop.from;
        }
        schedule.steps.reverse();
        schedule
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hops_are_found_however_they_came() {
        let hop = |place: usize| Hop {
            from: place.checked_sub(3).map(Trail::at),
            task: TaskId(place as u32),
            choice: 0,
            cost: 1,
        };
        let mut trails = Trails::default();
        for more in [1, 5, FEW, 0, 1, 2 * FEW, 3, CHUNK, 1, FEW - 1, FEW + 1] {
            let end = trails.end();
            trails.append((end..end + more).map(hop).collect());
            assert_eq!(trails.push(hop(end + more)).place() as usize, end + more);
        }
        assert_eq!(trails.initial(), 3);
        assert!(trails.bytes() >= 16 * trails.end());
        assert!((0..trails.end()).all(|place| trails.get(Trail::at(place)).task.0 as usize == place));
        let last = Trail::at(trails.end() - 1);
        assert_eq!(trails.schedule("rr".to_owned(), Some(last), None).steps.len(), last.place() as usize / 3);
    }
}
