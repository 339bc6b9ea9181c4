//! Random walks beside the systematic search.
//!
//! A walk follows a sampler of [`dally_schedule::sample`], and is expressed by its delays of `rr`: at each branch, by the
//! position of the sampler's task in that order. So a failing walk has a schedule like any other execution.

use dally_schedule::sample::{Estimates, Generator, Profile, SamplerName, TaskSampler};
use dally_schedule::{Arrangement, Ready, Rr, SchedulerName, TaskId, Why};
use shuttle::scheduler as shuttle_scheduler;

use crate::policy::{Delayed, Delays, Guide, Point, Policy, Price};

/// The seed of all walks; walks differ by their index.
const SEED: u64 = 0;

/// The walks of a search.
pub(crate) struct Sampling {
    samplers: Vec<(SamplerName, Box<dyn TaskSampler>)>,
    /// The order that walks are expressed in.
    order: Delays<Rr>,
    estimates: Estimates,
    /// The number of walks so far.
    walks: u64,
    walk: Walk,
    /// The sampler of the current walk.
    current: usize,
}

/// The current walk, but for its sampler.
struct Walk {
    random: Generator,
    profile: Profile,
}

impl Sampling {
    /// Walks with these samplers.
    pub(crate) fn new(samplers: &[SamplerName]) -> Self {
        let build = |name: &SamplerName| (name.clone(), name.build(&rr()));
        Self {
            samplers: samplers.iter().map(build).collect(),
            order: Delays::new(Rr::new(Arrangement::Creation), false),
            estimates: Estimates::default(),
            walks: 0,
            walk: Walk { random: Generator::new(SEED, 0), profile: Profile::default() },
            current: 0,
        }
    }

    /// The number of samplers.
    pub(crate) fn len(&self) -> usize {
        self.samplers.len()
    }

    /// Begins a walk with a sampler. Returns the seed for the values of `rand`.
    pub(crate) fn begin(&mut self, sampler: usize) -> u64 {
        self.walks += 1;
        self.current = sampler;
        self.walk = Walk { random: Generator::new(SEED, self.walks), profile: Profile::default() };
        self.samplers[sampler].1.begin(&self.estimates, &mut self.walk.random);
        self.order.begin();
        self.walk.random.next_number()
    }

    /// The next task of the walk, its position in the order, and its price.
    pub(crate) fn next_task(&mut self, point: &Point<'_>) -> (shuttle_scheduler::TaskId, usize, Price) {
        let sampler = &mut *self.samplers[self.current].1;
        self.order.follow(point, &mut Sampled { sampler, walk: &mut self.walk, picked: None })
    }

    /// One of this many values.
    pub(crate) fn next_value(&mut self, values: u32) -> usize {
        self.walk.random.below(u64::from(values)) as usize
    }

    /// The walk has ended.
    pub(crate) fn end(&mut self) {
        self.estimates.add(&self.walk.profile);
    }

    /// The tasks that the walk has delayed.
    pub(crate) fn delayed(&self) -> &[Delayed] {
        self.order.delayed()
    }
}

/// The scheduler that walks are expressed in.
fn rr() -> SchedulerName {
    SchedulerName::Rr(Arrangement::Creation)
}

/// A scheduling point of a walk.
struct Sampled<'a> {
    sampler: &'a mut dyn TaskSampler,
    walk: &'a mut Walk,
    picked: Option<TaskId>,
}

impl Guide for Sampled<'_> {
    fn give(&mut self, task: TaskId, why: Why) {
        if let Why::Posted(post) = &why {
            self.walk.profile.post(task, post);
        }
        self.sampler.give(task, why);
    }

    fn arrive(&mut self, ready: &Ready<'_>) {
        self.picked = self.sampler.pick(ready, &mut self.walk.random);
    }

    fn accepts(&mut self, task: TaskId) -> bool {
        // Without a pick only spurious wake-ups are left: the first of them is taken.
        self.picked.is_none_or(|picked| picked == task)
    }

    fn runs(&mut self, task: TaskId, tasks: usize) {
        self.walk.profile.step(task, tasks);
    }
}
