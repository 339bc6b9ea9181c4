//! The effort that a search spends on looking for commuting steps.
//!
//! A look costs about as much as a step, and pays only if some looks find a commuting step. So a search counts what its
//! latest looks have found, and with few finds it looks at one state in [`ONE_IN`]. Which states those are depends on their
//! fingerprints, and the counts are compared between portions of layers. So the number of threads has no influence.

use crate::Fingerprint;
use crate::expand::Tally;

/// In a sparse search, one state in this many is examined.
const ONE_IN: u64 = 8;

/// The finds are compared after this many looks.
const WINDOW: u64 = 64;

/// A search becomes sparse if fewer than one look in this many finds a commuting step.
const DENSE: u64 = 16;

/// After [`ENOUGH`] looks in all, a search stops looking if fewer than one in this many found a commuting step.
const FEW: u64 = 64;
const ENOUGH: u64 = 1 << 11;

/// A search stops fusing if it fuses fewer than one step for this many others, unless many looks find a commuting step.
const FUSED: u64 = 3;

/// It fuses, also again, if at least one look in this many finds a commuting step.
const FUSIBLE: u64 = 2;

/// Counts of a search, in which earlier windows count less than later ones.
#[derive(Clone, Copy, Debug, Default)]
struct Finds {
    looks: u64,
    found: u64,
    steps: u64,
    fused: u64,
}

impl Finds {
    fn of(tally: &Tally) -> Self {
        let Tally { transitions, reduced, examined, fused, fused_ahead, .. } = *tally;
        Self { looks: examined, found: reduced + fused_ahead, steps: transitions - fused, fused }
    }

    fn since(self, old: Self) -> Self {
        Self {
            looks: self.looks - old.looks,
            found: self.found - old.found,
            steps: self.steps - old.steps,
            fused: self.fused - old.fused,
        }
    }

    /// Adds a window. Those before it count half.
    fn add(&mut self, new: Self) {
        self.looks = self.looks / 2 + new.looks;
        self.found = self.found / 2 + new.found;
        self.steps = self.steps / 2 + new.steps;
        self.fused = self.fused / 2 + new.fused;
    }
}

/// How closely a search looks for commuting steps.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Effort {
    /// True if a commuting step can [suffice](super) at a node.
    pub(crate) reduces: bool,
    /// True if chains of commuting steps become one step.
    pub(crate) fuses: bool,
    is_sparse: bool,
    /// At the end of the last window.
    seen: Finds,
    latest: Finds,
}

impl Effort {
    /// The effort of a search that reduces or not.
    pub(crate) fn new(reduces: bool) -> Self {
        Self { reduces, fuses: reduces, ..Self::default() }
    }

    /// Returns true if a search looks for commuting steps at this state.
    #[inline]
    pub(crate) fn examines(&self, state: Fingerprint) -> bool {
        // The lowest bits choose passages.
        !self.is_sparse || (state.low() >> 8).is_multiple_of(ONE_IN)
    }

    /// Takes the counts at the beginning of a portion. Returns true if the search looks at more states from now on, or fuses
    /// again.
    pub(crate) fn update(&mut self, tally: &Tally) -> bool {
        let all = Finds::of(tally);
        let new = all.since(self.seen);
        if !self.reduces || new.looks < WINDOW {
            return false;
        }
        self.seen = all;
        self.latest.add(new);
        let Finds { looks, found, steps, fused } = self.latest;
        self.reduces = all.looks < ENOUGH || all.found * FEW >= all.looks;
        let pays = found * FUSIBLE >= looks || self.fuses && fused * FUSED >= steps;
        let fused_before = std::mem::replace(&mut self.fuses, self.reduces && pays);
        let was_sparse = std::mem::replace(&mut self.is_sparse, found * DENSE < looks);
        if self.fuses && !fused_before {
            // The windows without fusing say nothing about it.
            self.latest = Finds::default();
        }
        was_sparse && !self.is_sparse || self.fuses && !fused_before
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tally(examined: u64, reduced: u64, transitions: u64, fused: u64) -> Tally {
        Tally { examined, reduced, transitions, fused, ..Tally::default() }
    }

    fn looks_at(effort: &Effort) -> usize {
        (0..1_u128 << 14).step_by(1 << 8).filter(|key| effort.examines(Fingerprint(*key))).count()
    }

    #[test]
    fn a_search_looks_at_fewer_states_while_it_finds_little() {
        let mut effort = Effort::new(true);
        assert!(!effort.update(&tally(WINDOW - 1, 0, 0, 0)));
        assert!(effort.fuses && looks_at(&effort) == 64);
        assert!(!effort.update(&tally(WINDOW, 0, 9, 0)));
        assert!(effort.reduces && !effort.fuses && looks_at(&effort) == 8);
        assert!(effort.update(&tally(2 * WINDOW, WINDOW / 2, 90, 0)));
        assert!(effort.reduces && !effort.fuses && looks_at(&effort) == 64);
        assert!(effort.update(&tally(3 * WINDOW, WINDOW * 3 / 2, 190, 0)));
        assert!(effort.fuses);
        assert!(!effort.update(&tally(4 * WINDOW, WINDOW * 7 / 4, 290, 50)));
        assert!(effort.fuses);
        assert!(!effort.update(&tally(5 * WINDOW, WINDOW * 2, 590, 60)));
        assert!(effort.reduces && !effort.fuses);
    }

    #[test]
    fn a_search_without_finds_stops_looking() {
        let mut effort = Effort::new(true);
        effort.update(&tally(ENOUGH - 1, 0, 0, 0));
        assert!(effort.reduces);
        effort.update(&tally(ENOUGH - 1 + WINDOW, 0, 0, 0));
        assert!(!effort.reduces && !effort.fuses);
        assert!(!effort.update(&tally(2 * ENOUGH, ENOUGH, 0, 0)));
    }
}
