//! Running a lasso again: does its loop come back, is something starved in it, and is it fair?

use std::collections::BTreeMap;

use crate::replay::{Moment, ReplayError, replay};
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

    fn is_fair(&self) -> bool {
        self.starved.is_empty() && self.ways.values().all(|ways| *ways == 3)
    }
}

/// Follows a schedule with a loop, and shows each step to `watch`. If the loop comes back to where it began, violates a
/// property, and is fair or need not be, the result is the failure; if not, there is none.
pub fn replay_cycle<P: Program>(
    program: &P,
    schedule: &Schedule,
    fair: bool,
    mut watch: impl FnMut(&Moment<'_, P::State>),
) -> Result<Option<Failure>, ReplayError> {
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
    if replayed.failure.is_some() {
        return Ok(replayed.failure);
    }
    let violated = seen.hot & !seen.cold;
    let comes_back = seen.begins.is_some() && seen.begins == seen.ends;
    let counts = comes_back && violated != 0 && (seen.is_fair() || !fair);
    Ok(counts.then(|| program.starves(violated.trailing_zeros(), &replayed.state)))
}
