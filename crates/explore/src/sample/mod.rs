//! Sampling: random walks over schedules and data.
//!
//! A walk picks tasks by a [sampler](dally_schedule::sample) and draws each nondeterministic choice as it
//! comes, so it costs only the steps that it takes, however many outcomes a step has. Sampling proves
//! nothing; it finds bugs early in programs whose data explode.
//!
//! The result does not depend on the number of threads: walk *i* is a function of the seed, of *i*, and of
//! estimates from the batches before it, whose sizes do not depend on the threads either. Of several
//! failing walks the one of least index is reported, [shrunk](crate::shrink).

mod execution;
mod walk;

use std::collections::HashSet;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use dally_schedule::sample::{Estimates, SamplerName};
use dally_schedule::{Arrangement, SchedulerName};
use serde::Serialize;

pub(crate) use execution::{End, Execution, Taken};
pub(crate) use walk::Failing;
use walk::{Walked, Walker};

use crate::abandoned::Abandoned;
use crate::outcome::{Bug, Limit};
use crate::search::Watch;
use crate::shrink::Shrinker;
use crate::team::{Team, for_each_thread};
use crate::{Failure, FailureKind, Fingerprint, Program};

/// The number of steps in a batch, about. Estimates are updated and limits are checked between batches.
const BATCH_STEPS: u64 = 1 << 15;

/// The number of walks in a batch: enough for all threads, few where walks are long.
const BATCH_WALKS: std::ops::RangeInclusive<u64> = 16..=1024;

/// The bytes that the parts of states may take between batches.
const COPY_BYTES: usize = 32 << 20;

/// The limit on the final states that are told apart.
const MAX_FINALS: usize = 1 << 18;

/// The options of sampling.
#[derive(Clone, Debug)]
pub struct SampleOptions {
    /// The samplers, which share walks round robin.
    pub samplers: Vec<SamplerName>,
    /// The scheduler relative to which a bug is expressed, which `delays` delays, and which fixes the order
    /// of tasks in sealed parts. It must propose every enabled task.
    pub scheduler: SchedulerName,
    /// The seed of all random choices.
    pub seed: u64,
    /// The limit on the number of walks.
    pub walks: Option<u64>,
    /// The limit on the steps of a walk.
    pub steps: usize,
    /// The cost of an option other than the first, where a choice has more than `free_options` options.
    pub choice_cost: u32,
    /// Choices among at most this many options are free.
    pub free_options: usize,
    /// The number of threads, which does not affect the result.
    pub threads: usize,
    /// The limit on the steps that are taken to shrink a failing walk.
    pub shrinking: u64,
}

impl Default for SampleOptions {
    fn default() -> Self {
        SampleOptions {
            samplers: SamplerName::portfolio(),
            scheduler: SchedulerName::Rr(Arrangement::Creation),
            seed: 0,
            walks: None,
            steps: 10_000,
            choice_cost: 0,
            free_options: 2,
            threads: 1,
            shrinking: 1 << 20,
        }
    }
}

/// The executions sampled so far. As JSON it has the fields that `docs/check.md` lists.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Sampled {
    /// The seed.
    pub seed: u64,
    /// The number of walks.
    pub walks: u64,
    /// The number of steps in all walks.
    pub steps: u64,
    /// The number of steps in the longest walk.
    pub longest: u64,
    /// The number of walks that terminated.
    pub terminated: u64,
    /// The number of walks that the limit on steps cut off.
    pub cut_off: u64,
    /// The number of walks that an assumption ended.
    pub discarded: u64,
    /// The number of walks that came to a step that cannot be executed.
    #[serde(skip_serializing_if = "is_zero")]
    pub abandoned: u64,
    /// The number of different states in which walks terminated, up to a limit of 2¹⁸.
    pub final_states: usize,
    /// The index of the failing walk.
    pub failing: Option<u64>,
    /// The steps taken to shrink it.
    pub shrinking: u64,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_zero(number: &u64) -> bool {
    *number == 0
}

/// The end of a slice of sampling.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Slice {
    /// The work is done, and there is more.
    More,
    /// A walk fails.
    Bug(Box<Bug>),
    /// All walks are done.
    Done,
    /// A limit was reached.
    Limit(Limit),
    /// Nothing failed, but some walks came to a step that cannot be executed: why the first could not.
    Unsupported(String),
}

/// Samples executions of a program, in slices.
pub struct Sampler<'a, P: Program, W> {
    program: &'a P,
    /// The [copy](Program::without_states) of the program on which walks run.
    copy: Option<P>,
    options: SampleOptions,
    watch: &'a W,
    team: Team,
    estimates: Estimates,
    finals: HashSet<Fingerprint>,
    sampled: Sampled,
    /// Walks that came to steps that cannot be executed.
    abandoned: Abandoned,
}

impl<'a, P: Program, W: Watch<P::State>> Sampler<'a, P, W> {
    /// Sampling that has not begun.
    pub fn new(program: &'a P, options: SampleOptions, watch: &'a W) -> Self {
        let sampled = Sampled { seed: options.seed, ..Sampled::default() };
        let team = Team::new(options.threads);
        let (copy, abandoned) = (program.without_states(), Abandoned::default());
        let (estimates, finals) = (Estimates::default(), HashSet::new());
        Sampler { program, copy, options, watch, team, estimates, finals, sampled, abandoned }
    }

    /// The executions sampled so far.
    pub fn sampled(&self) -> &Sampled {
        &self.sampled
    }

    /// The options.
    pub fn options(&self) -> &SampleOptions {
        &self.options
    }

    /// Samples until there is a result.
    pub fn run(&mut self) -> Slice {
        self.run_slice(u64::MAX)
    }

    /// Samples until at least `work` steps were taken. What a slice covers depends only on the options and
    /// on earlier slices, unless a limit ends it.
    pub fn run_slice(&mut self, work: u64) -> Slice {
        let slice = self.sample(work);
        self.watch.sampled(&self.sampled);
        match slice {
            Slice::Done | Slice::Limit(_) if self.abandoned.count > 0 => self.unsupported(),
            slice => slice,
        }
    }

    fn unsupported(&self) -> Slice {
        Slice::Unsupported(self.abandoned.first.clone().unwrap_or_default())
    }

    fn sample(&mut self, work: u64) -> Slice {
        let until = self.sampled.steps.saturating_add(work);
        while self.sampled.steps < until {
            let batch = self.batch();
            if batch.is_empty() || self.abandoned.is_too_many() {
                return Slice::Done;
            }
            if let Some(limit) = self.watch.poll_samples(&self.sampled) {
                return Slice::Limit(limit);
            }
            if let Some(result) = self.run_batch(batch) {
                return result;
            }
        }
        Slice::More
    }

    /// The indices of the next walks.
    fn batch(&self) -> std::ops::Range<u64> {
        let begin = self.sampled.walks;
        let left = self.options.walks.map_or(u64::MAX, |walks| walks.saturating_sub(begin));
        // A step that cannot be executed can take long.
        let most = if self.abandoned.count > 0 { BATCH_WALKS.start() } else { BATCH_WALKS.end() };
        let walks = (BATCH_STEPS / self.estimates.length()).clamp(*BATCH_WALKS.start(), *most);
        // The first batches are small, since the samplers have no estimates yet.
        begin..begin + walks.min(begin + BATCH_WALKS.start()).min(left)
    }

    fn run_batch(&mut self, batch: std::ops::Range<u64>) -> Option<Slice> {
        let round = Round {
            next: AtomicU64::new(batch.start),
            end: AtomicU64::new(batch.end),
            stopped: AtomicBool::new(false),
            limit: Mutex::new(None),
            done: Mutex::new(Vec::new()),
        };
        let threads = (self.team.threads() as u64).min(batch.end - batch.start);
        let this = &*self;
        self.team.run(|| for_each_thread((0..threads).collect(), |_| this.work(&round)));
        // No state is left between batches.
        if self.copy.as_ref().is_some_and(|copy| copy.shared_bytes() > COPY_BYTES) {
            self.copy = self.program.without_states();
        }
        let Round { limit, done, .. } = round;
        let mut walks = done.into_inner().unwrap_or_default();
        walks.sort_unstable_by_key(|walked| walked.index);
        for walked in walks {
            self.add(&walked);
            match walked.end {
                End::Failed(failure) if failure.kind == FailureKind::Unsupported => {
                    self.abandoned.add(failure);
                    if self.abandoned.is_too_many() {
                        return Some(self.unsupported());
                    }
                }
                End::Failed(failure) => return Some(self.conclude(failure, walked.failing)),
                End::Terminated | End::CutOff | End::Discarded => {}
            }
        }
        limit.into_inner().ok().flatten().map(Slice::Limit)
    }

    /// Takes walks until none is left, as one thread of several.
    fn work(&self, round: &Round) {
        let mut walker = Walker::new(self.copy.as_ref().unwrap_or(self.program), &self.options);
        let mut own = Vec::new();
        loop {
            let index = round.next.fetch_add(1, Ordering::Relaxed);
            if index >= round.end.load(Ordering::Relaxed) || round.is_stopped(self) {
                break;
            }
            // Walks after a failing one do not matter.
            let stop = || round.end.load(Ordering::Relaxed) <= index || round.is_stopped(self);
            let Some(walked) = walker.walk(index, &self.estimates, stop) else { continue };
            match &walked.end {
                End::Failed(Failure { kind: FailureKind::Interrupted(limit), .. }) => {
                    round.stop(*limit);
                    break;
                }
                End::Failed(Failure { kind: FailureKind::Unsupported, .. }) => {}
                End::Failed(_) => {
                    round.end.fetch_min(index + 1, Ordering::Relaxed);
                }
                End::Terminated => {
                    walker.execution.state().into_iter().for_each(|state| self.watch.final_state(state));
                }
                End::CutOff | End::Discarded => {}
            }
            own.push(walked);
        }
        if let Ok(mut done) = round.done.lock() {
            done.append(&mut own);
        }
    }

    /// Counts a walk.
    fn add(&mut self, walked: &Walked) {
        self.estimates.add(&walked.profile);
        let sampled = &mut self.sampled;
        sampled.walks = walked.index + 1;
        sampled.steps += walked.profile.steps.max(1);
        sampled.longest = sampled.longest.max(walked.profile.steps);
        match walked.end {
            End::Terminated => sampled.terminated += 1,
            End::CutOff => sampled.cut_off += 1,
            End::Discarded => sampled.discarded += 1,
            End::Failed(Failure { kind: FailureKind::Unsupported, .. }) => sampled.abandoned += 1,
            End::Failed(_) => {}
        }
        if let Some(last) = walked.last
            && self.finals.len() < MAX_FINALS
        {
            self.finals.insert(last);
            sampled.final_states = self.finals.len();
        }
    }

    /// The result of a failing walk, which is shrunk.
    fn conclude(&mut self, failure: Failure, failing: Failing) -> Slice {
        self.sampled.failing = Some(self.sampled.walks - 1);
        let sampled = &self.sampled;
        let stop = || self.watch.poll_samples(sampled).is_some();
        let mut shrinker = Shrinker::new(self.program, &self.options, &stop);
        let bug = shrinker.shrink(failure, failing);
        self.sampled.shrinking = shrinker.steps();
        Slice::Bug(Box::new(bug))
    }
}

/// The walks of a batch, shared by threads.
struct Round {
    next: AtomicU64,
    /// The end of the batch, or of the walks that matter: those up to the first failing one.
    end: AtomicU64,
    stopped: AtomicBool,
    limit: Mutex<Option<Limit>>,
    done: Mutex<Vec<Walked>>,
}

impl Round {
    fn stop(&self, limit: Limit) {
        self.stopped.store(true, Ordering::Relaxed);
        if let Ok(mut known) = self.limit.lock() {
            known.get_or_insert(limit);
        }
    }

    /// Checks the limits. Returns true if one was reached.
    fn is_stopped<P: Program, W: Watch<P::State>>(&self, sampler: &Sampler<'_, P, W>) -> bool {
        if let Some(limit) = sampler.watch.poll_samples(&sampler.sampled) {
            self.stop(limit);
        }
        self.stopped.load(Ordering::Relaxed)
    }
}
