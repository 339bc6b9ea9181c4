//! A fair suffix for samplers that are not fair.
//!
//! Under `pct:D` and `delays`, a task that polls, or a timer that fires again and again, can starve the
//! task that it waits for. Such a walk does not end until it is cut off, and nothing new happens in it. So
//! after a [prefix](PREFIX) the walk continues uniformly at random, as in the fair variant of \[PCT\] in P's
//! checker: it mostly terminates, and deadlocks and hot monitors at the end are seen.

use super::{Estimates, Generator, TaskSampler, Uniform};
use crate::{Ready, TaskId, Why};

/// The number of scheduling points with several enabled tasks that the sampler decides.
pub(super) const PREFIX: u64 = 1_000;

/// A sampler that decides the first points of each walk; later ones are uniform.
#[derive(Clone, Debug)]
pub struct FairSuffix<S> {
    prefix: S,
    /// The points so far.
    points: u64,
}

impl<S: TaskSampler> FairSuffix<S> {
    /// Adds a fair suffix to a sampler.
    pub fn new(prefix: S) -> Self {
        FairSuffix { prefix, points: 0 }
    }

    /// True if the sampler still decides. Later it is told nothing, since tasks run that it has not picked.
    fn is_in_prefix(&self) -> bool {
        self.points < PREFIX
    }
}

impl<S: TaskSampler> TaskSampler for FairSuffix<S> {
    fn begin(&mut self, estimates: &Estimates, random: &mut Generator) {
        self.points = 0;
        self.prefix.begin(estimates, random);
    }

    fn give(&mut self, task: TaskId, why: Why) {
        if self.is_in_prefix() {
            self.prefix.give(task, why);
        }
    }

    fn complete(&mut self, task: TaskId) {
        if self.is_in_prefix() {
            self.prefix.complete(task);
        }
    }

    fn pick(&mut self, ready: &Ready<'_>, random: &mut Generator) -> Option<TaskId> {
        if !self.is_in_prefix() {
            return Uniform.pick(ready, random);
        }
        self.points += u64::from(ready.enabled().len() > 1);
        self.prefix.pick(ready, random)
    }

    fn wants_conflicts(&self) -> bool {
        self.is_in_prefix() && self.prefix.wants_conflicts()
    }

    fn conflict(&mut self, task: TaskId) {
        if self.is_in_prefix() {
            self.prefix.conflict(task);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{RandomDelays, RandomPriorities};
    use super::*;
    use crate::{Post, SchedulerName};

    /// The tasks of a walk in which two tasks are always enabled.
    fn walk(sampler: &mut dyn TaskSampler, steps: u64) -> Vec<TaskId> {
        let (tasks, mut random) = ([TaskId(0), TaskId(1)], Generator::new(7, 0));
        sampler.begin(&Estimates::default(), &mut random);
        tasks.iter().for_each(|task| sampler.give(*task, Why::Posted(Post::default())));
        let mut picked = Vec::new();
        for _ in 0..steps {
            let Some(task) = sampler.pick(&Ready::new(&tasks), &mut random) else { break };
            picked.push(task);
            sampler.give(task, Why::Yielded);
        }
        picked
    }

    fn check(plain: &mut dyn TaskSampler, fair: &mut dyn TaskSampler) {
        let steps = 4 * PREFIX;
        let (plain, fair) = (walk(plain, steps), walk(fair, steps));
        let (prefix, suffix) = fair.split_at(PREFIX as usize);
        assert_eq!(prefix, &plain[..PREFIX as usize], "the sampler decides the prefix");
        let runs = |tasks: &[TaskId]| tasks.iter().filter(|task| **task == TaskId(0)).count() as u64;
        assert!(
            [0, 3 * PREFIX].contains(&runs(&plain[PREFIX as usize..])),
            "the sampler alone starves a task"
        );
        assert!((PREFIX..2 * PREFIX).contains(&runs(suffix)), "both tasks run in the suffix");
    }

    #[test]
    fn no_task_starves_in_the_suffix() {
        check(&mut RandomPriorities::new(3), &mut FairSuffix::new(RandomPriorities::new(3)));
        let rtc = || RandomDelays::new(&SchedulerName::Rtc);
        check(&mut rtc(), &mut FairSuffix::new(rtc()));
    }
}
