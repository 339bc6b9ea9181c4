//! Running a lasso again: does its loop come back, is something starved in it, and is it fair?

use std::collections::BTreeMap;

use crate::replay::{Moment, NoCycle, ReplayError, replay};
use crate::successors::Event;
use crate::{Failure, Fingerprint, Program, Schedule, TaskId};

/// What is seen of a loop.
#[derive(Default)]
struct Seen {
    begins: Option<Fingerprint>,
    ends: Option<Fingerprint>,
    hot: u64,
    cold: u64,
    /// Tasks that could move all the time and did not move.
    starved: Vec<TaskId>,
    /// Fair choices, and which ways were taken.
    ways: BTreeMap<u64, u8>,
}

impl Seen {
    fn step<P: Program>(&mut self, program: &P, moment: &Moment<'_, P::State>, task: TaskId) {
        let mut enabled = Vec::new();
        program.enabled(moment.before, &mut enabled);
        if self.begins.is_none() {
            self.begins = Some(program.fingerprint(moment.before));
            self.starved.clone_from(&enabled);
        }
        self.starved.retain(|other| *other != task && enabled.contains(other));
        self.ends = Some(program.fingerprint(moment.after));
        self.hot |= moment.hot;
        self.cold |= moment.cold;
        for event in moment.events {
            if let Event::Chose(choice, way) = event {
                *self.ways.entry(*choice).or_default() |= 1 << u8::from(*way);
            }
        }
    }

    /// Why it does not count, if so.
    fn objection(&self, fair: bool) -> Option<NoCycle> {
        if self.begins.is_none() || self.begins != self.ends {
            Some(NoCycle::MovesOn)
        } else if self.violated() == 0 {
            Some(NoCycle::NothingHot)
        } else if !fair {
            None
        } else if let Some(task) = self.starved.first() {
            Some(NoCycle::Starves(*task))
        } else {
            self.ways.values().any(|ways| *ways != 3).then_some(NoCycle::OneWay)
        }
    }

    /// The properties that are violated, as bits.
    fn violated(&self) -> u64 {
        self.hot & !self.cold
    }
}

/// Follows a schedule with a loop, and shows each step to `watch`. The result is the failure, if the loop comes back to
/// where it began, violates a property, and is fair or need not be.
pub fn replay_cycle<P: Program>(
    program: &P,
    schedule: &Schedule,
    fair: bool,
    mut watch: impl FnMut(&Moment<'_, P::State>),
) -> Result<Failure, ReplayError> {
    let mut seen = Seen::default();
    let from = schedule.cycle.unwrap_or(usize::MAX);
    let replayed = replay(program, schedule, |moment| {
        if let Some((nth, step)) = moment.step
            && nth >= from
        {
            seen.step(program, moment, step.task);
        }
        watch(moment);
    })?;
    match (replayed.failure, seen.objection(fair)) {
        (Some(failure), _) => Ok(failure),
        (None, Some(objection)) => Err(ReplayError::NoCycle(objection)),
        (None, None) => Ok(program.starves(seen.violated().trailing_zeros(), &replayed.state)),
    }
}
