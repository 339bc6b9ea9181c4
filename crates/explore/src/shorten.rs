//! Shortens the execution of a bug that a search with [reduction](crate::reduce) has found.
//!
//! Steps that were taken ahead of their turns become delays of the tasks before them, so that the schedule is one of the
//! scheduler. Its cost can be higher than the bound at which the search found the bug.
//!
//! Where steps commute, the search takes some of them before the failure although they have no part in it. The
//! [shrinker](crate::shrink) of samples looks for an execution with the same failure that costs no more and has fewer
//! steps.

use crate::policy::Policy;
use crate::sample::{End, Execution, Failing, SampleOptions};
use crate::shrink::Shrinker;
use crate::{Bug, Options, Program, SchedulerName, replay_under};

/// The limit on the steps that are taken to shorten an execution.
const WORK: u64 = 1 << 16;

/// A shorter execution of the bug that costs no more, or the same one. Ends early if `stop` returns true.
pub(crate) fn shorten<P: Program, O: Policy>(
    program: &P,
    policy: &O,
    options: &Options,
    bug: Bug,
    stop: &dyn Fn() -> bool,
) -> Bug {
    let strategy = bug.schedule.strategy.clone();
    let Some(scheduler) = strategy.scheduler() else { return bug };
    let Some(failing) = follow(program, scheduler, &bug) else { return bug };
    let sampling = SampleOptions {
        scheduler: scheduler.clone(),
        choice_cost: options.choice_cost,
        free_options: options.free_options,
        shrinking: WORK,
        ..SampleOptions::default()
    };
    let shorter = Shrinker::new(program, &sampling, stop).shrink(bug.failure.clone(), failing);
    let is_shorter = shorter.schedule.steps.len() < bug.schedule.steps.len() && shorter.cost <= bug.cost;
    let replays = |bug: &Bug| {
        let replayed = replay_under(program, policy, &bug.schedule);
        bug.schedule.cost() == bug.cost
            && replayed.is_ok_and(|replayed| replayed.failure.as_ref() == Some(&bug.failure))
    };
    if replays(&shorter) && (is_shorter || !replays(&bug)) { shorter } else { bug }
}

/// The steps of a bug beside its scheduler, if it follows the schedule.
fn follow<P: Program>(program: &P, scheduler: &SchedulerName, bug: &Bug) -> Option<Failing> {
    let mut execution = Execution::new(program, scheduler);
    let initial = bug.schedule.initial;
    let mut end = execution.begin(|_| u64::from(initial), None);
    for step in &bug.schedule.steps {
        if end.is_some() || !execution.delay_until(step.task) {
            return None;
        }
        let mut options = step.choices.iter();
        let mut choose = |_| options.next().map_or(0, |option| u64::from(*option));
        end = execution.step(&mut choose, None);
    }
    match end {
        Some(End::Failed(failure)) if failure == bug.failure => {
            Some(Failing { initial, steps: std::mem::take(&mut execution.steps) })
        }
        _ => None,
    }
}
