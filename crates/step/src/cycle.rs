//! Cycles inside a step.
//!
//! A task may execute a cycle without ever letting others run. If it has no choice, that is a failure. If
//! it has chosen to, the other options are explored anyway, and the cycle is a bug only if it violates a
//! liveness property. Cycles are detected in two cases:
//!
//! - The task reaches a choice again, with nothing changed since ([`crate::engine::Task::since`]).
//! - The language records [`Visits`]: fingerprints of the task's configuration at points that every cycle passes.

use dally_explore::Fingerprint;

/// The limit on the length of detected cycles; longer ones run out of fuel.
const LONGEST: usize = 64;

/// A point of a step to which a cycle may return.
#[derive(Clone, Copy, Debug)]
pub struct Visit<C> {
    at: Fingerprint,
    /// Counters of the language at that point, from which it derives the events of the cycle.
    pub counters: C,
}

/// The latest points of a step to which a cycle may return.
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
    /// Records a visit. If the point was visited before, returns the counters of that visit.
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
    fn a_cycle_is_detected_at_its_second_iteration() {
        let mut visits = Visits::default();
        let at = |n: u32| Fingerprint::of(&n);
        assert!((0..10).all(|n| visits.visit(at(n), n).is_none()));
        assert_eq!(visits.visit(at(4), 10), Some(4));
        // Cycles longer than the record are not detected.
        let long = (0..1000).cycle().take(3000);
        assert!(long.map(|n| visits.visit(at(n + 100), n)).all(|seen| seen.is_none()));
    }
}
