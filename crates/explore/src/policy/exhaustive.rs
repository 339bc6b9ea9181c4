//! No bound: every enabled task is proposed, at no cost.
//!
//! It explores the same executions as the scheduler `bag`, faster. Seals have no effect, since there is no order.

use dally_schedule::StrategyName;

use super::{Happened, Omission, Point, Policy, Proposal};

/// Every enabled task, at no cost.
#[derive(Clone, Copy, Debug, Default)]
pub struct Exhaustive;

impl Policy for Exhaustive {
    type SchedulerState = ();
    /// The position of the proposal among the enabled tasks.
    type Cursor = u32;

    fn start(&self) {}

    #[inline]
    fn propose(&self, (): &mut (), cursor: &mut u32, point: &Point<'_>) -> Proposal {
        point.ready.enabled().get(*cursor as usize).map_or(Proposal::End, |task| Proposal::Run(*task))
    }

    #[inline]
    fn advance(&self, (): &mut (), cursor: &mut u32, point: &Point<'_>) -> Option<u32> {
        *cursor += 1;
        ((*cursor as usize) < point.ready.enabled().len()).then_some(0)
    }

    fn after(&self, (): &(), _: &Happened<'_>) {}

    fn omission(&self, (): &(), _: &u32, _: &Point<'_>) -> Omission {
        Omission::Nothing
    }

    fn allows_steps_ahead(&self, (): &()) -> bool {
        true
    }

    fn strategy(&self) -> StrategyName {
        StrategyName::Exhaustive
    }
}
