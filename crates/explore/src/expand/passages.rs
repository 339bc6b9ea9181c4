//! The ends of chains of fused steps, by states in between.
//!
//! Chains that begin at different states often meet, and have the same steps from there on. So the search remembers some
//! of the states in between, with the end of the chain. A chain that comes to one of them need not go on: the end is in the
//! visited set, and its mark decides for the proviso of [`crate::reduce`], as if the chain had led there.
//!
//! A chain of higher cost says nothing about one of lower cost, which has to visit the end again. Passages are added after
//! the portion of a layer in which they were found, so that the number of threads has no influence.

use std::collections::HashMap;
use std::hash::BuildHasherDefault;

use crate::Fingerprint;
use crate::store::Identity;

/// One in this many states is remembered, a power of two. A chain that meets an earlier one goes on for as many steps,
/// on average.
const ONE_IN: u64 = 4;

/// The most passages that are added before older ones are forgotten: this many, or half as many as there are visited
/// states. Most chains meet one that is not much older.
const FEW: usize = 1 << 10;

/// A chain that has passed through a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Passage {
    /// The cost at which its end was visited.
    pub(crate) cost: u32,
    pub(crate) end: Fingerprint,
}

type ByState = HashMap<Fingerprint, Passage, BuildHasherDefault<Identity>>;

/// The chains that have passed through states.
#[derive(Clone, Debug, Default)]
pub(crate) struct Passages {
    new: ByState,
    old: ByState,
}

impl Passages {
    /// Returns true if chains through this state are remembered.
    #[inline]
    pub(crate) fn has_room_for(state: Fingerprint) -> bool {
        state.low().is_multiple_of(ONE_IN)
    }

    /// The end of a chain through a state that was visited at this cost, or at a lower one.
    #[inline]
    pub(crate) fn end(&self, state: Fingerprint, cost: u32) -> Option<Fingerprint> {
        if !Self::has_room_for(state) {
            return None;
        }
        let found = [&self.new, &self.old].into_iter().filter_map(|known| known.get(&state));
        found.min().filter(|passage| passage.cost <= cost).map(|passage| passage.end)
    }

    /// Adds passages, whose order does not matter, where this many states are visited.
    pub(crate) fn add(&mut self, passages: &mut Vec<(Fingerprint, Passage)>, visited: usize) {
        if self.new.len() >= (visited / 2).max(FEW) {
            self.old = std::mem::take(&mut self.new);
        }
        for (state, passage) in passages.drain(..) {
            let known = self.new.entry(state).or_insert(passage);
            *known = (*known).min(passage);
        }
    }

    /// The bytes allocated.
    pub(crate) fn bytes(&self) -> usize {
        // The table has a control byte for each slot, and one slot in eight is free.
        (self.new.capacity() + self.old.capacity()) * 8 / 7 * (size_of::<(Fingerprint, Passage)>() + 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cheapest_passage_of_a_state_is_kept() {
        let passage = |cost, end| Passage { cost, end: Fingerprint(end) };
        let state = Fingerprint(u128::from(ONE_IN));
        let mut orders = vec![vec![passage(2, 7), passage(1, 9), passage(1, 8)]];
        orders.push(orders[0].iter().rev().copied().collect());
        for order in orders {
            let mut passages = Passages::default();
            let mut found: Vec<_> = order.into_iter().map(|passage| (state, passage)).collect();
            passages.add(&mut found, 0);
            assert!(found.is_empty() && passages.bytes() > 0);
            assert_eq!(passages.end(state, 0), None);
            assert_eq!(passages.end(state, 1), Some(Fingerprint(8)));
            assert_eq!(passages.end(Fingerprint(3), 1), None);
        }
    }

    #[test]
    fn old_passages_are_forgotten() {
        let mut passages = Passages::default();
        let state = |batch: usize, nth: usize| Fingerprint((batch * FEW + nth) as u128 * u128::from(ONE_IN));
        for batch in 0..8 {
            let end = Passage { cost: 0, end: Fingerprint(1) };
            passages.add(&mut (0..FEW).map(|nth| (state(batch, nth), end)).collect(), 0);
        }
        let known = |batch| passages.end(state(batch, 5), 0).is_some();
        assert_eq!([4, 5, 6, 7].map(known), [false, false, true, true]);
    }
}
