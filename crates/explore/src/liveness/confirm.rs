//! Replays a lasso, and checks that its cycle closes, violates a property, and is fair.

use std::collections::HashSet;

use super::fair::Neglected;
use super::graph::FairChoice;
use crate::replay::{Moment, NoCycle, ReplayError, StepAt, replay};
use crate::successors::Event;
use crate::{Failure, Fingerprint, Program, Schedule, TaskId};

/// Observations of the replayed cycle.
#[derive(Default)]
pub(crate) struct Observed {
    /// The state before the first step.
    first: Option<Fingerprint>,
    /// The state after the last step.
    last: Option<Fingerprint>,
    hot: u64,
    cold: u64,
    /// Tasks that were enabled at every state of the cycle and took no step.
    starved: Vec<TaskId>,
    /// The fair choices that were made.
    made: HashSet<FairChoice>,
}

impl Observed {
    pub(crate) fn step<P: Program>(&mut self, program: &P, moment: &Moment<'_, P::State>, task: TaskId) {
        let mut enabled = Vec::new();
        program.enabled(moment.before, &mut enabled);
        if self.first.is_none() {
            self.first = Some(program.fingerprint(moment.before));
            self.starved.clone_from(&enabled);
        }
        self.starved.retain(|other| *other != task && enabled.contains(other));
        self.last = Some(program.fingerprint(moment.after));
        self.hot |= moment.hot;
        self.cold |= moment.cold;
        for event in moment.events {
            if let Event::Chose(choice, option, options) = *event {
                self.made.insert(FairChoice { choice, option, options });
            }
        }
    }

    /// The reason why the cycle is not a violation, if there is one.
    fn objection(&self, fair: bool) -> Option<NoCycle> {
        if self.first.is_none() || self.first != self.last {
            Some(NoCycle::MovesOn)
        } else if self.violated() == 0 {
            Some(NoCycle::NothingHot)
        } else if !fair {
            None
        } else if let Some(task) = self.starved.first() {
            Some(NoCycle::Starves(*task))
        } else {
            let neglected = Neglected::of(self.made.iter().copied());
            (!neglected.is_empty()).then_some(NoCycle::NeverTaken)
        }
    }

    /// The property violation that the cycle is, if it ends in this state.
    pub(crate) fn failure<P: Program>(
        &self,
        program: &P,
        state: &P::State,
        fair: bool,
    ) -> Result<Failure, ReplayError> {
        match self.objection(fair) {
            Some(objection) => Err(ReplayError::NoCycle(objection)),
            None => Ok(program.starves(self.violated().trailing_zeros(), state)),
        }
    }

    /// The violated properties, as a bit set.
    fn violated(&self) -> u64 {
        self.hot & !self.cold
    }
}

/// Replays a schedule with a cycle, and passes each step to `watch`. Returns the failure if the
/// cycle ends in the state where it begins, violates a property and, if `fair` is set, is fair.
pub fn replay_cycle<P: Program>(
    program: &P,
    schedule: &Schedule,
    fair: bool,
    mut watch: impl FnMut(&Moment<'_, P::State>),
) -> Result<Failure, ReplayError> {
    let mut observed = Observed::default();
    let from = schedule.cycle.unwrap_or(usize::MAX);
    let replayed = replay(program, schedule, |moment| {
        if let Some(StepAt { index, step }) = moment.step
            && index >= from
        {
            observed.step(program, moment, step.task);
        }
        watch(moment);
    })?;
    match replayed.failure {
        Some(failure) => Ok(failure),
        None => observed.failure(program, &replayed.state, fair),
    }
}
