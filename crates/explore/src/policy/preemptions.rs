//! Preemption bounding and context bounding, baselines: switching tasks costs one.
//!
//! Preemption bounding charges a switch away from a task that is still enabled; context bounding charges
//! every switch [POPL11 §1.2]. A switch to any enabled task has the same cost.

use dally_schedule::{StrategyName, TaskId};

use super::{Happened, Omission, Point, Policy, Proposal};

/// The switches that are charged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Switches {
    /// Switches away from a task that is still enabled: preemption bounding.
    Preemptive,
    /// All switches: context bounding.
    All,
}

/// Switching tasks costs 1.
#[derive(Clone, Copy, Debug)]
pub struct Preemptions(pub Switches);

/// The first proposal where a switch is charged: to continue with the last task.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Stay {
    /// It is enabled, at this position.
    Possible(usize),
    /// It is not enabled: every enabled task costs a switch.
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
    type SchedulerState = Option<TaskId>;
    /// The index of the proposal: the first is the task that ran last, if it is enabled.
    type Cursor = u32;

    fn start(&self) -> Option<TaskId> {
        None
    }

    fn propose(&self, scheduler: &mut Option<TaskId>, cursor: &mut u32, point: &Point<'_>) -> Proposal {
        let enabled = point.ready.enabled();
        let nth = *cursor as usize;
        let position = match (self.stays(*scheduler, point), nth) {
            (None, _) => nth,
            (Some(Stay::Possible(last)), 0) => last,
            (Some(Stay::Impossible), 0) => return Proposal::Pass,
            // The other tasks follow in order, without the last one.
            (Some(Stay::Possible(last)), _) if nth > last => nth,
            (Some(_), _) => nth - 1,
        };
        enabled.get(position).map_or(Proposal::End, |task| Proposal::Run(*task))
    }

    fn advance(&self, scheduler: &mut Option<TaskId>, cursor: &mut u32, point: &Point<'_>) -> Option<u32> {
        let stays = self.stays(*scheduler, point);
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
