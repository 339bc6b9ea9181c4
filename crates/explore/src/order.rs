//! The order in which a search expands nodes: rounds of passes.
//!
//! A search that finishes one bound before it begins the next never begins bound 1 if executions without
//! delays do not end. So bounds are *dovetailed*: round r explores executions of cost 0 up to a depth of
//! 2ʳ horizons, those of cost 1 up to 2ʳ⁻¹ horizons, and so on; those of cost r up to one horizon. A
//! *pass* is the part of a round that explores one cost. If all executions end before the horizon, round r
//! has only the pass of cost r, and the order is that of plain deepening.
//!
//! With dovetailing, the first visit of a state need not be one of least cost. The visited set stores the
//! least cost, and a cheaper visit expands the state again.

use crate::visited::MAX_COST;

/// The default [horizon](crate::Options::horizon).
pub(crate) const HORIZON: u32 = 256;

/// A part of a round: the nodes of one cost. Passes are explored in ascending order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Pass {
    pub(crate) round: u32,
    pub(crate) cost: u32,
}

impl Pass {
    /// The pass of a search without bounds.
    pub(crate) const UNBOUNDED: Self = Self { round: u32::MAX, cost: u32::MAX };

    /// Returns true if work of this pass can be done in pass `now`.
    #[inline]
    pub(crate) fn is_within(self, now: Self) -> bool {
        self.round <= now.round && self.cost <= now.cost
    }
}

/// Assigns nodes to passes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Order {
    /// `None` if bounds are not dovetailed.
    pub(crate) horizon: Option<u32>,
}

impl Order {
    /// The pass that explores a node, if the search is in pass `now`: that one, or a later one.
    #[inline]
    pub(crate) fn pass(self, now: Pass, cost: u32, depth: u32) -> Pass {
        Pass { round: now.round.max(cost.saturating_add(self.stage(cost, depth))), cost }
    }

    /// The number of doublings of the horizon that reach this depth.
    #[inline]
    fn stage(self, cost: u32, depth: u32) -> u32 {
        match self.horizon {
            Some(horizon) if cost < MAX_COST => {
                (depth / horizon.max(1)).checked_ilog2().map_or(0, |doublings| doublings + 1)
            }
            _ => 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn higher_costs_begin_once_depth_passes_the_horizon() {
        let order = Order { horizon: Some(10) };
        let first = Pass::default();
        let pass = |cost, depth| order.pass(first, cost, depth);
        assert_eq!(pass(0, 9), first);
        assert_eq!(pass(0, 10), Pass { round: 1, cost: 0 });
        assert_eq!(pass(0, 19), Pass { round: 1, cost: 0 });
        assert_eq!(pass(0, 20), Pass { round: 2, cost: 0 });
        assert_eq!(pass(1, 9), Pass { round: 1, cost: 1 });
        // Round 1 continues executions without delays, then begins those with one delay.
        assert!(pass(0, 10) < pass(1, 0) && pass(1, 0) < pass(0, 20));
        // A node of an earlier round joins the current one.
        assert_eq!(order.pass(Pass { round: 3, cost: 0 }, 1, 0), Pass { round: 3, cost: 1 });
    }

    #[test]
    fn without_a_horizon_passes_are_bounds() {
        let order = Order { horizon: None };
        assert_eq!(order.pass(Pass::default(), 2, u32::MAX), Pass { round: 2, cost: 2 });
    }
}
