//! Preemption bounding and context bounding, baselines: switching tasks costs one.
//!
//! Preemption bounding charges a switch away from a task that could go on; context bounding charges
//! every switch [POPL11 §1.2]. Any enabled task may be switched to, at the same price.

use dally_schedule::{StrategyName, TaskId};

use super::{Happened, Omission, Point, Policy, Proposal};

/// Which switches cost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Switches {
    /// Those away from a task that could go on: preemption bounding.
    Preemptive,
    /// All: context bounding.
    All,
}

/// Switching tasks costs one.
#[derive(Clone, Copy, Debug)]
pub struct Preemptions(pub Switches);

/// The first proposal, where leaving the last task costs: to stay with it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Stay {
    /// It is enabled, at this position.
    Possible(usize),
    /// It cannot go on: there is nothing to run without paying.
    Impossible,
}

impl Preemptions {
    fn stays(self, last: Option<TaskId>, point: &Point<'_>) -> Option<Stay> {
        match point.ready.position(last?) {
            Some(position) => Some(Stay::Possible(position)),
            None if self.0 == Switches::All => Some(Stay::Impossible),
            None => None,
        }
    }
}

impl Policy for Preemptions {
    /// The task that ran last.
    type Place = Option<TaskId>;
    /// Which proposal it is: the first is the task that ran last, if it can go on.
    type Cursor = u32;

    fn start(&self) -> Option<TaskId> {
        None
    }

    fn propose(&self, place: &mut Option<TaskId>, cursor: &mut u32, point: &Point<'_>) -> Proposal {
        let enabled = point.ready.enabled();
        let nth = *cursor as usize;
        let position = match (self.stays(*place, point), nth) {
            (None, _) => nth,
            (Some(Stay::Possible(last)), 0) => last,
            (Some(Stay::Impossible), 0) => return Proposal::Pass,
            // The others follow in order: those before the last one have moved up.
            (Some(Stay::Possible(last)), _) if nth > last => nth,
            (Some(_), _) => nth - 1,
        };
        enabled.get(position).map_or(Proposal::End, |task| Proposal::Run(*task))
    }

    fn advance(&self, place: &mut Option<TaskId>, cursor: &mut u32, point: &Point<'_>) -> Option<u32> {
        let stays = self.stays(*place, point);
        let cost = u32::from(*cursor == 0 && stays.is_some());
        let proposals = point.ready.enabled().len() + usize::from(stays == Some(Stay::Impossible));
        *cursor += 1;
        ((*cursor as usize) < proposals).then_some(cost)
    }

    fn after(&self, _: &Option<TaskId>, happened: &Happened<'_>) -> Option<TaskId> {
        happened.task
    }

    fn omission(&self, _: &Option<TaskId>, _: &u32, _: &Point<'_>) -> Omission {
        Omission::Nothing
    }

    fn strategy(&self) -> StrategyName {
        match self.0 {
            Switches::Preemptive => StrategyName::Preemptions,
            Switches::All => StrategyName::Contexts,
        }
    }
}
