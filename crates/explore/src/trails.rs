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

/// All hops of a search.
#[derive(Debug, Default)]
pub(crate) struct Trails {
    /// Invariant: a hop comes after the one that it continues.
    hops: Vec<Packed>,
}

impl Trails {
    /// The place of the hop that is added next.
    #[inline]
    pub(crate) fn end(&self) -> Trail {
        let place = u32::try_from(self.hops.len()).ok().filter(|place| *place != NOWHERE);
        Trail(place.expect("a search has fewer than 2³² - 1 states"))
    }

    /// Adds a hop.
    #[inline]
    pub(crate) fn push(&mut self, hop: Hop) -> Trail {
        let trail = self.end();
        self.hops.push(Packed {
            from: hop.from.map_or(NOWHERE, |from| from.0),
            task: hop.task.0,
            choice: hop.choice,
            cost: hop.cost,
        });
        trail
    }

    /// How many initial states there are; they come first.
    pub(crate) fn initial(&self) -> u32 {
        self.hops.iter().take_while(|hop| hop.from == NOWHERE).count() as u32
    }

    pub(crate) fn bytes(&self) -> usize {
        self.hops.capacity() * size_of::<Packed>()
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
        while let Some(Trail(place)) = from {
            let hop = self.hops[place as usize];
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
