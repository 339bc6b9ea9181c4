//! Cycles inside a step.
//!
//! A task may go in a cycle without ever letting others run. Where it cannot do otherwise, that is a failure;
//! where it has chosen to, the other options were explored when the choice was made, and what is left to say is
//! whether the cycle violates a liveness property. There are two ways to see a cycle:
//!
//! - The task comes back to a choice with nothing changed since ([`crate::engine::Task::since`]).
//! - The language records [`Visits`]: fingerprints of the task's configuration at points that every cycle passes.

use dally_explore::Fingerprint;

/// Longer cycles are not found: they run out of fuel.
const LONGEST: usize = 64;

/// A point of a step that a cycle may come back to.
#[derive(Clone, Copy, Debug)]
pub struct Visit<C> {
    at: Fingerprint,
    /// Counters of the language at that point, to tell what happened since.
    pub counters: C,
}

/// The latest points of a step that a cycle may come back to.
#[derive(Clone, Debug)]
pub struct Visits<C> {
    visits: Vec<Visit<C>>,
}

impl<C> Default for Visits<C> {
    fn default() -> Self {
        Visits { visits: Vec::new() }
    }
}

impl<C: Copy> Visits<C> {
    /// Records a visit. If the task was there before, returns the counters of that time.
    pub fn visit(&mut self, at: Fingerprint, counters: C) -> Option<C> {
        if let Some(seen) = self.visits.iter().find(|visit| visit.at == at) {
            return Some(seen.counters);
        }
        if self.visits.len() >= LONGEST {
            self.visits.clear();
        }
        self.visits.push(Visit { at, counters });
        None
    }

    /// True if nothing was recorded.
    pub fn is_empty(&self) -> bool {
        self.visits.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cycle_is_found_at_its_second_turn() {
        let mut visits = Visits::default();
        let at = |n: u32| Fingerprint::of(&n);
        assert!((0..10).all(|n| visits.visit(at(n), n).is_none()));
        assert_eq!(visits.visit(at(4), 10), Some(4));
        // Cycles longer than the record are not found.
        let long = (0..1000).cycle().take(3000);
        assert!(long.map(|n| visits.visit(at(n + 100), n)).all(|seen| seen.is_none()));
    }
}
