//! Depth bounding, a baseline: every enabled task is proposed, and each step costs one.

use dally_schedule::StrategyName;

use super::{Exhaustive, Happened, Omission, Point, Policy, Proposal};

/// Each step costs one.
#[derive(Clone, Copy, Debug, Default)]
pub struct Depth;

impl Policy for Depth {
    type SchedulerState = ();
    type Cursor = u32;

    fn start(&self) {}

    fn propose(&self, scheduler: &mut (), cursor: &mut u32, point: &Point<'_>) -> Proposal {
        Exhaustive.propose(scheduler, cursor, point)
    }

    fn advance(&self, scheduler: &mut (), cursor: &mut u32, point: &Point<'_>) -> Option<u32> {
        Exhaustive.advance(scheduler, cursor, point)
    }

    fn after(&self, (): &(), _: &Happened<'_>) {}

    fn omission(&self, (): &(), _: &u32, _: &Point<'_>) -> Omission {
        Omission::Nothing
    }

    fn step_cost(&self) -> u32 {
        1
    }

    fn strategy(&self) -> StrategyName {
        StrategyName::Depth
    }
}
