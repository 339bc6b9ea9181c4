//! How each node of a search was reached: a tree of hops, from which schedules are read off.

use dally_schedule::TaskId;

use crate::schedule::{Schedule, Step};

/// The place of a node in the tree of hops.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Trail(pub(crate) u32);

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

/// As a hop, in 16 bytes.
#[derive(Clone, Copy, Debug)]
struct Packed {
    from: u32,
    task: u32,
    choice: u32,
    cost: u32,
}

/// Marks the hops to initial states.
const NOWHERE: u32 = u32::MAX;

/// Hops in a chunk.
const CHUNK: usize = 1 << 15;

/// All hops of a search.
#[derive(Debug, Default)]
pub(crate) struct Trails {
    /// In chunks, so that nothing is moved when there are more; all but the last are full. Invariant: a hop comes after
    /// the one that it continues.
    chunks: Vec<Vec<Packed>>,
    len: usize,
}

impl Trails {
    /// The place of the hop that is added next.
    #[inline]
    pub(crate) fn end(&self) -> Trail {
        let place = u32::try_from(self.len).ok().filter(|place| *place != NOWHERE);
        Trail(place.expect("a search has fewer than 2³² - 1 states"))
    }

    /// Adds a hop.
    #[inline]
    pub(crate) fn push(&mut self, hop: Hop) -> Trail {
        let trail = self.end();
        let from = hop.from.map_or(NOWHERE, |from| from.0);
        let hop = Packed { from, task: hop.task.0, choice: hop.choice, cost: hop.cost };
        match self.chunks.last_mut() {
            Some(last) if last.len() < CHUNK => last.push(hop),
            last => {
                let mut chunk = Vec::with_capacity(if last.is_some() { CHUNK } else { 1 });
                chunk.push(hop);
                self.chunks.push(chunk);
            }
        }
        self.len += 1;
        trail
    }

    fn get(&self, Trail(place): Trail) -> Packed {
        self.chunks[place as usize / CHUNK][place as usize % CHUNK]
    }

    /// How many initial states there are; they come first.
    pub(crate) fn initial(&self) -> u32 {
        self.chunks.iter().flatten().take_while(|hop| hop.from == NOWHERE).count() as u32
    }

    pub(crate) fn bytes(&self) -> usize {
        self.len * size_of::<Packed>()
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
            if hop.from == NOWHERE {
                schedule.initial = hop.choice;
                break;
            }
            schedule.steps.push(Step { task: TaskId(hop.task), cost: hop.cost, choice: hop.choice });
            from = Some(Trail(hop.from));
        }
        schedule.steps.reverse();
        schedule
    }
}
