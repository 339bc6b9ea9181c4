//! Confirming a bug: its schedule is replayed once, beside the scheduler that found it.

use dally_schedule::TaskId;

use crate::liveness::ObservedCycle;
use crate::replay::{Follower, Moment, ReplayError, Replayed, StepAt, replay};
use crate::{Delays, Program, Schedule};

/// Replays a schedule and shows each step to `watch`, with the tasks that the scheduler delayed before it. Only schedulers
/// delay; other policies leave the list empty.
///
/// The replay fails if the scheduler does not admit the schedule at the cost that it gives. The cycle of a lasso must return
/// to its first state, violate a property and, if `fair`, be fair: that violation is then the failure of the replay.
pub fn confirm<P: Program>(
    program: &P,
    schedule: &Schedule,
    fair: bool,
    mut watch: impl FnMut(&Moment<'_, P::State>, &[TaskId]),
) -> Result<Replayed<P::State>, ReplayError> {
    let policy = schedule.strategy.scheduler().map(Delays::named);
    let mut follower = policy.as_ref().map(Follower::new);
    let mut cycle = ObservedCycle::default();
    let mut replayed = replay(program, schedule, |moment| {
        let delayed = follower.as_mut().map_or(&[][..], |follower| follower.step(program, moment));
        if let (Some(StepAt { index, step }), Some(from)) = (moment.step, schedule.cycle)
            && index >= from
        {
            cycle.step(program, moment, step.task);
        }
        watch(moment, delayed);
    })?;
    if let Some(refused) = follower.and_then(|follower| follower.refused) {
        return Err(refused);
    }
    if schedule.cycle.is_some() && replayed.failure.is_none() {
        replayed.failure = Some(cycle.failure(program, &replayed.state, fair)?);
    }
    Ok(replayed)
}
