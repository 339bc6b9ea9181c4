//! One random walk: a function of the seed, the index of the walk, and the estimates.

use dally_schedule::sample::{Estimates, Generator, Profile, SamplerName, TaskSampler};
use dally_schedule::{Ready, TaskId};

use super::SampleOptions;
use super::execution::{End, Execution, Taken};
use crate::successors::Event;
use crate::{Fingerprint, Footprints, Program};

/// Of this many walks of a sampler, one mostly takes the first option of choices with many options: bugs
/// that need few odd values are rare among uniform ones.
const TIMID_EVERY: u64 = 4;

/// In such a walk, one of this many choices is uniform.
const BOLD_ONE_IN: u64 = 8;

/// The number of steps between two looks at the limits. A step takes longer where many tasks are enabled, and
/// counts as one for each of `TASKS_PER_STEP`.
const LOOK_EVERY: usize = 1 << 6;
const TASKS_PER_STEP: usize = 1 << 6;

/// A walk that has ended.
pub(crate) struct Walked {
    pub(crate) index: u64,
    pub(crate) end: End,
    pub(crate) profile: Profile,
    /// The fingerprint of its last state, if it terminated.
    pub(crate) last: Option<Fingerprint>,
    /// Its steps, if it failed.
    pub(crate) failing: Failing,
}

/// The steps of a failing walk, from an initial state.
#[derive(Clone, Debug, Default)]
pub(crate) struct Failing {
    pub(crate) initial: u32,
    pub(crate) steps: Vec<Taken>,
}

/// Buffers of one thread.
pub(crate) struct Walker<'a, P: Program> {
    pub(crate) execution: Execution<'a, P>,
    samplers: Vec<Box<dyn TaskSampler>>,
    options: &'a SampleOptions,
    footprints: Footprints,
}

impl<'a, P: Program> Walker<'a, P> {
    pub(crate) fn new(program: &'a P, options: &'a SampleOptions) -> Self {
        let build = |name: &SamplerName| name.build(&options.scheduler);
        Walker {
            execution: Execution::new(program, &options.scheduler),
            samplers: options.samplers.iter().map(build).collect(),
            options,
            footprints: Footprints::default(),
        }
    }

    /// Takes a walk, unless `stop` returns true in the course of it.
    pub(crate) fn walk(
        &mut self,
        index: u64,
        estimates: &Estimates,
        stop: impl Fn() -> bool,
    ) -> Option<Walked> {
        let samplers = self.samplers.len().max(1) as u64;
        let sampler = &mut **self.samplers.get_mut((index % samplers) as usize)?;
        let execution = &mut self.execution;
        // Schedules and data have generators of their own: one more choice does not change the order.
        let mut order = Generator::new(self.options.seed, 2 * index);
        let mut data = Generator::new(self.options.seed, 2 * index + 1);
        let is_timid = index / samplers % TIMID_EVERY == TIMID_EVERY - 1;
        let mut choose = |options: u64| match options {
            0..=2 => data.next_number() >> 63,
            _ if is_timid && !data.one_in(BOLD_ONE_IN) => 0,
            _ => data.below(options),
        };
        let (mut profile, mut unseen) = (Profile::default(), 0);
        sampler.begin(estimates, &mut order);
        let mut end = execution.begin(&mut choose, Some(sampler));
        execution.profile_posts(None, &mut profile);
        while end.is_none() {
            let steps = execution.steps.len();
            if steps >= self.options.steps {
                end = Some(End::CutOff);
                break;
            }
            unseen += 1 + execution.enabled() / TASKS_PER_STEP;
            if unseen >= LOOK_EVERY {
                unseen = 0;
                if stop() {
                    return None;
                }
            }
            let Some(task) = pick(execution, sampler, &mut order) else {
                end = Some(End::Discarded);
                break;
            };
            if sampler.wants_conflicts() {
                execution.report_conflicts(task, &mut self.footprints, sampler);
            }
            profile.step(task, execution.enabled());
            end = execution.step(&mut choose, Some(sampler));
            execution.profile_posts(Some(task), &mut profile);
        }
        let end = end?;
        let last = if end == End::Terminated { execution.fingerprint() } else { None };
        let failing = match &end {
            End::Failed(_) => {
                Failing { initial: execution.initial, steps: std::mem::take(&mut execution.steps) }
            }
            End::Terminated | End::CutOff | End::Discarded => Failing::default(),
        };
        Some(Walked { index, end, profile, last, failing })
    }
}

/// Lets the sampler pick a task, and the scheduler propose it. While the program is sealed, the scheduler's
/// first proposal is the only task that is ready.
fn pick<P: Program>(
    execution: &mut Execution<'_, P>,
    sampler: &mut dyn TaskSampler,
    order: &mut Generator,
) -> Option<TaskId> {
    let task = if execution.is_sealed() {
        let only = execution.proposal()?;
        sampler.pick(&Ready::new(&[only]), order);
        only
    } else {
        sampler.pick(&execution.ready(), order)?
    };
    execution.delay_until(task).then_some(task)
}

impl<P: Program> Execution<'_, P> {
    /// Reports the enabled tasks whose next steps conflict with that of `task`, which has not run yet.
    fn report_conflicts(&self, task: TaskId, scratch: &mut Footprints, sampler: &mut dyn TaskSampler) {
        let (Some(state), 2..) = (self.state(), self.enabled()) else { return };
        let Footprints { step, others } = scratch;
        step.clear();
        self.program().footprint(state, task, step);
        if step.is_empty() {
            return;
        }
        for other in self.tasks().iter().filter(|other| **other != task) {
            others.clear();
            self.program().footprint(state, *other, others);
            if step.conflicts(others) {
                sampler.conflict(*other);
            }
        }
    }

    /// Records the tasks that the last step posted.
    fn profile_posts(&self, by: Option<TaskId>, profile: &mut Profile) {
        for event in self.events() {
            if let Event::Posted(task, mut post) = *event {
                post.by = by;
                profile.post(task, &post);
            }
        }
    }
}
