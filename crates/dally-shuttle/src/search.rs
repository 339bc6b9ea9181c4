//! The search: it selects the executions, and the next task at each scheduling point.
//!
//! Each strategy of a portfolio has its own enumeration. They take turns, one execution each, and all complete a bound
//! before the next begins.

use std::time::Instant;

use dally_explore::{ExecutionCoverage, SamplerExecutions, StrategyExecutions};
use rustc_hash::FxHashSet;
use shuttle::MaxSteps;
use shuttle::scheduler::{DataSource, RandomDataSource, TaskId};

use crate::conflicts::Conflicts;
use crate::end::{End, Watch};
use crate::enumeration::{Branches, Enumeration};
use crate::locate::Capture;
use crate::operations;
use crate::policy::{Delayed, Point, Policy, Price};
use crate::run::{Departure, Run};
use crate::sampling::Sampling;
use crate::shrink::{Plan, Planned};
use crate::strategy::Kind;
use crate::traces::Traces;
use crate::{Config, Deviations, Limit, SamplerName, Strategy, TestReport, Values, Verdict};

/// The number of steps between two checks of the clock; a power of two.
const CLOCK_PERIOD: usize = 4096;

/// The systematic search begins again with at most this many seeds for `rand`.
const MOST_SEEDS: u64 = 100;

/// A task that has taken this many steps without a switch, while others could run, yields. Otherwise a loop that waits
/// for another task, and does not say so, would never end under schedulers that let a task continue.
pub(crate) const QUANTUM: usize = 200;

/// The source of the decisions of the current execution.
enum Guiding {
    /// A strategy, with deviations.
    Strategy,
    /// The current walk of the samplers.
    Walk,
    /// The next trace.
    Traces,
    Plan(Box<Planned>),
}

/// An execution that is repeated at the end, to detect a program that is not deterministic.
struct Repeat {
    turn: usize,
    seed: u64,
    deviations: Branches,
    history: u64,
}

/// One strategy of the portfolio.
struct Member {
    strategy: Strategy,
    policy: Box<dyn Policy>,
    enumeration: Enumeration,
    /// If it searches for conflicting operations only.
    conflicts: Option<Conflicts>,
    /// If it runs one execution of each trace.
    traces: Option<Traces>,
    /// True if it has run all executions of the current bound.
    done: bool,
}

/// The reason why there are no more executions.
#[derive(Clone, Copy)]
enum Stop {
    /// All were run.
    Everything,
    Bound(u32),
    Limit(Limit),
    /// The configuration has no strategy.
    NoStrategy,
    /// An execution could not follow its deviations, or was different when it was repeated.
    Unrepeatable,
    /// The only strategies that are left have given up.
    GivenUp(&'static str),
}

impl Stop {
    /// True if all executions of the search were run.
    fn is_complete(self) -> bool {
        matches!(self, Self::Everything | Self::Bound(_))
    }
}

pub(crate) struct Search {
    members: Vec<Member>,
    /// The index of the strategy of the current execution, or of the last one that followed a strategy.
    turn: usize,
    sampling: Sampling,
    guide: Guiding,
    /// The position of the current execution in the turns of strategies and samplers.
    slot: usize,
    /// The strategy that walks and plans are expressed in.
    rr: Strategy,
    /// True if a single execution is replayed: `only`, until it has begun.
    replaying: bool,
    only: Option<Branches>,
    delays: Option<u32>,
    schedules: Option<u64>,
    deadline: Option<Instant>,
    steps: MaxSteps,
    /// Observes the end of executions, if the runner has its own limits.
    pub(crate) watch: Option<Watch>,
    values: Values,
    /// The seed of the current execution, and that of the systematic search.
    seed: u64,
    systematic_seed: u64,
    /// Executions to be repeated, if the search repeats any, and the history that the current one must repeat.
    repeats: Option<Vec<Repeat>>,
    repeated: Option<u64>,
    /// The source of seeded values, once the execution has requested one.
    source: Option<RandomDataSource>,
    pub(crate) run: Run,
    running: bool,
    /// The next step before which [`Self::look`] is called.
    pub(crate) next_look: usize,
    stop: Option<Stop>,
    coverage: ExecutionCoverage,
    /// The [histories](Run::history) of the executions so far, since several strategies may run the same execution.
    seen: FxHashSet<u64>,
    pub(crate) capture: Option<Capture>,
}

impl Search {
    pub(crate) fn new(config: &Config, strategies: &[Strategy]) -> Self {
        let member = |strategy: &Strategy| Member {
            strategy: strategy.clone(),
            policy: strategy.policy(),
            enumeration: Enumeration::new(config.delays),
            conflicts: (strategy.kind() == Kind::Conflicting).then(Conflicts::default),
            traces: (strategy.kind() == Kind::Traces).then(Traces::default),
            done: false,
        };
        let counts = |strategy: &Strategy| StrategyExecutions {
            strategy: strategy.name().clone(),
            schedules: Vec::new(),
            completed_bound: None,
        };
        let executions = strategies.iter().map(counts).collect();
        // Walks have any number of delays.
        let samplers = if config.delays.is_none() { &config.samplers[..] } else { &[] };
        let sampled = |sampler: &SamplerName| SamplerExecutions { sampler: sampler.clone(), schedules: 0 };
        let seed = if let Values::Seed(seed) = config.values { seed } else { 0 };
        Self {
            members: strategies.iter().map(member).collect(),
            turn: strategies.len().saturating_sub(1),
            sampling: Sampling::new(samplers),
            guide: Guiding::Strategy,
            slot: (strategies.len() + samplers.len()).saturating_sub(1),
            rr: Strategy::default(),
            replaying: false,
            only: None,
            delays: config.delays,
            schedules: config.schedules,
            deadline: config.time.and_then(|time| Instant::now().checked_add(time)),
            steps: config.steps,
            watch: None,
            values: config.values,
            seed,
            systematic_seed: seed,
            repeats: None,
            repeated: None,
            source: None,
            run: Run::new(Branches::default()),
            running: false,
            next_look: 0,
            stop: (strategies.is_empty() && samplers.is_empty()).then_some(Stop::NoStrategy),
            coverage: ExecutionCoverage {
                strategies: executions,
                samplers: samplers.iter().map(sampled).collect(),
                ..ExecutionCoverage::default()
            },
            seen: FxHashSet::default(),
            capture: None,
        }
    }

    /// A search of the single execution with these deviations.
    pub(crate) fn of_one(config: &Config, strategy: &Strategy, deviations: Branches) -> Self {
        let mut search = Self::new(config, std::slice::from_ref(strategy));
        (search.replaying, search.only) = (true, Some(deviations));
        search
    }

    /// A search of the single execution that follows a plan.
    pub(crate) fn planned(config: &Config, plan: Plan) -> Self {
        let mut search = Self::of_one(config, &Strategy::default(), Branches::default());
        search.guide = Guiding::Plan(Box::new(Planned::new(plan)));
        search
    }

    /// Repeats some executions at the end.
    pub(crate) fn repeat_some(&mut self) {
        self.repeats = Some(Vec::new());
    }

    /// The report, at the end or so far.
    pub(crate) fn report(&self) -> TestReport {
        let bound = if let Some(Stop::Bound(bound)) = self.stop { Some(bound) } else { None };
        let given_up = |member: &Member| member.traces.as_ref()?.reduction.failure();
        let notes =
            self.members.iter().filter_map(given_up).map(|reason| format!("`dpor` was given up: {reason}"));
        TestReport { verdict: self.verdict(), bound, coverage: self.count(), notes: notes.collect() }
    }

    pub(crate) fn new_execution(&mut self) -> Option<shuttle::scheduler::Schedule> {
        if std::mem::take(&mut self.running) {
            self.finish_run();
        }
        if self.stop.is_some_and(Stop::is_complete) {
            return self.begin_repeat();
        }
        if self.stop.is_some() || self.out_of_time() {
            return None;
        }
        if self.replaying && self.only.is_none() {
            self.stop = Some(Stop::Limit(Limit::Replay));
            return None;
        }
        let mut deviations = self.run.take_deviations();
        if !self.next_execution(&mut deviations) {
            return if self.stop.is_some_and(Stop::is_complete) { self.begin_repeat() } else { None };
        }
        if self.schedules.is_some_and(|limit| self.coverage.schedules >= limit) {
            self.stop = Some(Stop::Limit(Limit::Schedules));
            return None;
        }
        self.run.restart(deviations);
        self.count_begun();
        Some(self.begin_run())
    }

    fn begin_run(&mut self) -> shuttle::scheduler::Schedule {
        (self.running, self.next_look, self.source) = (true, 0, None);
        self.watch.iter().for_each(Watch::begin);
        self.seed = self.systematic_seed;
        operations::begin(self.records_operations());
        match self.guide {
            Guiding::Strategy => {
                let Member { policy, conflicts, .. } = &mut self.members[self.turn];
                policy.begin();
                conflicts.iter_mut().for_each(Conflicts::begin);
            }
            Guiding::Traces => self.members[self.turn].traces.iter_mut().for_each(Traces::begin),
            Guiding::Walk => {
                let seed = self.sampling.begin(self.slot);
                if self.values == Values::Vary {
                    self.seed = seed;
                }
            }
            Guiding::Plan(_) => {}
        }
        shuttle::scheduler::Schedule::new(self.seed)
    }

    /// True if the operations of the current execution are recorded.
    fn records_operations(&self) -> bool {
        match self.guide {
            Guiding::Strategy => self.members[self.turn].conflicts.is_some(),
            Guiding::Traces => true,
            Guiding::Walk | Guiding::Plan(_) => false,
        }
    }

    /// Begins to repeat an earlier execution, if there is one. The search is complete.
    fn begin_repeat(&mut self) -> Option<shuttle::scheduler::Schedule> {
        let Repeat { turn, seed, deviations, history } = self.repeats.as_mut()?.pop()?;
        (self.guide, self.turn, self.systematic_seed) = (Guiding::Strategy, turn, seed);
        self.repeated = Some(history);
        self.run.restart(deviations);
        Some(self.begin_run())
    }

    /// Counts the execution that is about to begin.
    fn count_begun(&mut self) {
        self.coverage.schedules += 1;
        if let Guiding::Walk = self.guide {
            self.coverage.samplers[self.slot].schedules += 1;
            return;
        }
        let compares =
            |member: &Member| member.traces.as_ref().is_some_and(|traces| traces.reduction.compares());
        if let Guiding::Traces = self.guide
            && compares(&self.members[self.turn])
        {
            return;
        }
        let member = &self.members[self.turn];
        let counts = &mut self.coverage.strategies[self.turn].schedules;
        let bound = member.enumeration.cost() as usize;
        counts.resize(counts.len().max(bound + 1), 0);
        counts[bound] += 1;
    }

    /// The execution ended without a failure.
    fn finish_run(&mut self) {
        if let Some(history) = self.repeated.take() {
            if history != self.run.history() {
                self.stop = Some(Stop::Unrepeatable);
            }
            return;
        }
        let stopped = matches!(self.guide, Guiding::Traces) && self.end_trace();
        let is_new = !stopped && (self.is_alone() || self.seen.insert(self.run.history()));
        let cut = self.is_cut();
        count_run(&mut self.coverage, &self.run, is_new, cut);
        // If the end was not observed, the execution may have been cut off.
        self.coverage.cut += u64::from(!cut && self.ended() == Some(End::Unknown));
        if self.stop.is_some() {
            return; // The time limit cut it off.
        }
        if !self.run.fits() {
            self.stop = Some(Stop::Unrepeatable);
            return;
        }
        match self.guide {
            Guiding::Strategy => self.record(),
            Guiding::Walk => self.sampling.end(),
            Guiding::Plan(_) | Guiding::Traces => {}
        }
    }

    /// An execution of one trace has ended. Returns true if it was stopped early.
    fn end_trace(&mut self) -> bool {
        let Some(Traces { reduction, .. }) = &mut self.members[self.turn].traces else { return false };
        reduction.end();
        if reduction.is_unrepeatable() {
            self.stop = Some(Stop::Unrepeatable);
        }
        reduction.was_stopped()
    }

    /// Records an execution of a strategy.
    fn record(&mut self) {
        let Self { run, members, turn, seed, .. } = self;
        if let Some(conflicts) = &mut members[*turn].conflicts {
            run.restrict(|sites| conflicts.end(sites));
        }
        members[*turn].enumeration.record(run.deviations(), run.outcome());
        // The first, the second, the fourth, and so on: differences show between early and late executions.
        if let Some(repeats) = &mut self.repeats
            && self.coverage.schedules.is_power_of_two()
        {
            let (deviations, history) = (run.deviations().to_vec(), run.history());
            repeats.push(Repeat { turn: *turn, seed: *seed, deviations, history });
        }
    }

    /// True if there is one strategy only, so that no execution is repeated.
    fn is_alone(&self) -> bool {
        self.members.len() == 1 && self.sampling.len() == 0 && self.members[0].traces.is_none()
    }

    /// True if the limit on steps cut the execution off.
    fn is_cut(&self) -> bool {
        let beyond = matches!(self.steps, MaxSteps::ContinueAfter(limit) if self.run.steps() >= limit);
        beyond || self.ended() == Some(End::Cut)
    }

    /// The end of the execution, if it is observed.
    pub(crate) fn ended(&self) -> Option<End> {
        self.watch.as_ref().map(Watch::end)
    }

    /// Selects the next execution. Returns false if there is none.
    fn next_execution(&mut self, deviations: &mut Branches) -> bool {
        if let Some(only) = self.only.take() {
            (self.turn, *deviations) = (0, only);
            return true;
        }
        self.slot = (self.slot + 1) % (self.members.len() + self.sampling.len());
        if self.slot < self.sampling.len() {
            self.guide = Guiding::Walk;
            deviations.clear();
            return true;
        }
        self.guide = Guiding::Strategy;
        self.next_deviations(deviations) || self.next_seed() && self.next_deviations(deviations)
    }

    /// Begins the systematic search again with another seed, if executions depend on values. Returns false if they do
    /// not, or if there were enough seeds.
    fn next_seed(&mut self) -> bool {
        let has_values = self.values == Values::Vary && self.coverage.values > 0;
        let is_complete = self.stop.is_some_and(Stop::is_complete);
        if !has_values || !is_complete || self.coverage.seeds + 1 >= MOST_SEEDS {
            return false;
        }
        self.stop = None;
        self.coverage.seeds += 1;
        self.systematic_seed += 1;
        for member in &mut self.members {
            member.enumeration = Enumeration::new(self.delays);
            member.done = false;
        }
        true
    }

    /// Stores the deviations of the next execution of the strategies. Returns false if there is none.
    fn next_deviations(&mut self, deviations: &mut Branches) -> bool {
        loop {
            for _ in 0..self.members.len() {
                self.turn = (self.turn + 1) % self.members.len();
                let member = &mut self.members[self.turn];
                if let Some(Traces { reduction, .. }) = &member.traces {
                    // Beside other strategies, only for tests that announce their operations, and for complete searches.
                    let alone = self.coverage.schedules == 0 || self.coverage.strategies.len() == 1;
                    let useful = alone || operations::are_announced() && self.delays.is_none();
                    if !useful || matches!(self.values, Values::Choose(_)) {
                        continue;
                    }
                    if reduction.goes_on() {
                        self.guide = Guiding::Traces;
                        deviations.clear();
                        return true;
                    }
                    if reduction.is_complete() {
                        self.stop = Some(Stop::Everything);
                        return false;
                    }
                    continue;
                }
                if member.next(deviations) {
                    return true;
                }
                if member.conflicts.is_some() {
                    continue;
                }
                let completed = &mut self.coverage.strategies[self.turn].completed_bound;
                *completed = (*completed).max(Some(member.enumeration.cost()));
                if !member.enumeration.goes_on() {
                    self.stop = Some(Stop::Everything);
                    return false;
                }
            }
            if !self.deepen() {
                return false;
            }
        }
    }

    /// Raises the bound. Returns false if this was the last.
    fn deepen(&mut self) -> bool {
        let bounded = |member: &&Member| member.traces.is_none();
        let Some(bound) = self.members.iter().find(bounded).map(|member| member.enumeration.cost()) else {
            let reason = self.members.iter().find_map(|member| member.traces.as_ref()?.reduction.failure());
            self.stop = Some(Stop::GivenUp(reason.unwrap_or("there is no strategy left")));
            return false;
        };
        let promises =
            self.members.iter().any(|member| member.traces.is_none() && member.conflicts.is_none());
        let goes_on = self.members.iter().any(|member| member.enumeration.goes_on());
        if self.delays.is_some_and(|limit| bound >= limit) || !goes_on {
            let conflicts = Stop::Limit(Limit::Conflicts);
            self.stop = Some(if promises { Stop::Bound(bound) } else { conflicts });
            return false;
        }
        for member in self.members.iter_mut().filter(|member| member.traces.is_none()) {
            member.enumeration.deepen();
            member.done = false;
        }
        true
    }

    fn out_of_time(&mut self) -> bool {
        let over = self.deadline.is_some_and(|deadline| Instant::now() >= deadline);
        if over {
            self.stop = Some(Stop::Limit(Limit::Time));
        }
        over
    }

    /// Work that is not done at every step: checks the clock, and captures locations. Returns false if the execution must
    /// stop.
    #[inline(never)]
    pub(crate) fn look(&mut self, point: &Point<'_>, unlimited: bool) -> bool {
        let step = point.step;
        if step == 0 {
            self.watch.iter().for_each(|watch| watch.first_task(point.tasks[0].id(), unlimited));
        } else if step.is_multiple_of(CLOCK_PERIOD) && self.out_of_time() {
            return false;
        }
        self.next_look = (step / CLOCK_PERIOD + 1) * CLOCK_PERIOD;
        if let Some(capture) = &mut self.capture {
            capture.look(step, point);
            self.next_look = step + 1;
        }
        true
    }

    /// The next task; `None` if the execution is to be stopped.
    #[inline]
    pub(crate) fn next_task(&mut self, point: &Point<'_>) -> Option<TaskId> {
        let task = if let Guiding::Strategy = self.guide {
            let Member { policy, conflicts, .. } = &mut self.members[self.turn];
            if let Some(conflicts) = conflicts {
                conflicts.end_step(point.current.is_some_and(|current| point.is_gone(current)));
            }
            let branch = self.run.branches();
            let task = match point.tasks.len() {
                1 => policy.choose(point, 0).0,
                options => self.run.branch(options, |nth| policy.choose(point, nth)).0,
            };
            if let Some(conflicts) = conflicts {
                conflicts.begin_step(task.into(), (point.tasks.len() > 1).then_some(branch));
            }
            task
        } else {
            self.guided_task(point)?
        };
        self.run.ran(task, point.tasks.len() > 1 && Some(task) == point.current);
        Some(task)
    }

    /// The next task of a walk, plan or trace.
    #[inline(never)]
    fn guided_task(&mut self, point: &Point<'_>) -> Option<TaskId> {
        let (task, nth, price) = match (&mut self.guide, &mut self.members[..]) {
            (Guiding::Plan(planned), _) => planned.next_task(point),
            (Guiding::Traces, members) => members[self.turn].traces.as_mut()?.next_task(point)?,
            (Guiding::Walk | Guiding::Strategy, _) => self.sampling.next_task(point),
        };
        if point.tasks.len() > 1 {
            self.run.guided(price, nth);
        }
        Some(task)
    }

    pub(crate) fn next_value(&mut self) -> u64 {
        operations::draw();
        let values = match self.values {
            Values::Choose(values) => values.max(1),
            Values::Seed(_) | Values::Vary => {
                self.run.returned(0);
                let seed = self.seed;
                return self.source.get_or_insert_with(|| RandomDataSource::initialize(seed)).next_u64();
            }
        };
        let nth = match values {
            1 => 0,
            _ if matches!(self.guide, Guiding::Walk) => {
                let nth = self.sampling.next_value(values);
                self.run.guided(Price::FREE, nth);
                nth
            }
            _ => {
                let branch = self.run.branches();
                if let (Guiding::Strategy, Some(member)) = (&self.guide, self.members.get_mut(self.turn)) {
                    member.conflicts.iter_mut().for_each(|conflicts| conflicts.value(branch));
                }
                self.run.branch(values as usize, |nth| (nth, Price::FREE)).0
            }
        };
        if nth > 0 {
            self.run.chosen.push(Departure::Value { step: self.run.trace.len(), nth, of: values });
        }
        self.run.returned(nth);
        Values::spread(nth, values)
    }

    fn verdict(&self) -> Verdict {
        match self.stop {
            Some(Stop::Unrepeatable) if self.replaying => Verdict::Unsupported(format!(
                "{} does not fit this program: it has fewer branches, or fewer tasks at one of them. The schedule \
                 may be another test's, or of this one before it was changed, or under another configuration",
                self.schedule()
            )),
            Some(Stop::Unrepeatable) => Verdict::Unsupported(format!(
                "the program is not deterministic under a fixed schedule: it could not follow {} again. It may \
                 depend on time, on addresses, on the order of a `HashMap`, or \
                 on statics that outlive an execution",
                self.schedule()
            )),
            Some(Stop::Everything | Stop::Bound(_) | Stop::Limit(Limit::Replay)) if self.coverage.cut > 0 => {
                Verdict::Inconclusive(Limit::Steps)
            }
            // Other values of `rand` may not have been tried.
            Some(Stop::Everything | Stop::Bound(_)) if self.coverage.values > 0 => Verdict::NoBug,
            Some(Stop::Everything) => Verdict::Proved,
            Some(Stop::Bound(bound)) => Verdict::ProvedWithin(bound),
            Some(Stop::GivenUp(reason)) => Verdict::Unsupported(format!("`dpor` was given up: {reason}")),
            Some(Stop::NoStrategy) => Verdict::Unsupported("the configuration has no strategy".to_owned()),
            // Everything was covered for some seeds.
            Some(Stop::Limit(_)) if self.coverage.seeds > 0 && self.coverage.cut == 0 => Verdict::NoBug,
            Some(Stop::Limit(limit)) => Verdict::Inconclusive(limit),
            None => Verdict::Inconclusive(Limit::Unfinished),
        }
    }

    /// The schedule of the current or last execution.
    pub(crate) fn schedule(&self) -> Deviations {
        Deviations {
            strategy: self.strategy().name().clone(),
            values: match self.values {
                Values::Choose(values) => Values::Choose(values),
                // The seed does not matter if no value was requested.
                Values::Vary if self.run.values() == 0 => Values::Seed(0),
                Values::Vary | Values::Seed(_) => Values::Seed(self.seed),
            },
            branches: self.run.deviations().into(),
        }
    }

    /// The plan of the current or last execution, if it is a walk.
    pub(crate) fn walk(&self) -> Option<Plan> {
        matches!(self.guide, Guiding::Walk | Guiding::Traces).then(|| self.plan())
    }

    /// The delays of the current or last execution.
    pub(crate) fn plan(&self) -> Plan {
        Plan::of(&self.run.trace, self.delayed())
    }

    fn delayed(&self) -> &[Delayed] {
        match &self.guide {
            Guiding::Strategy => self.members[self.turn].policy.delayed(),
            Guiding::Walk => self.sampling.delayed(),
            Guiding::Traces => self.members[self.turn].traces.as_ref().map_or(&[], Traces::delayed),
            Guiding::Plan(planned) => planned.delayed(),
        }
    }

    /// The strategy of that execution.
    pub(crate) fn strategy(&self) -> &Strategy {
        match self.guide {
            Guiding::Strategy => &self.members[self.turn].strategy,
            Guiding::Walk | Guiding::Traces | Guiding::Plan(_) => &self.rr,
        }
    }

    /// The deviations of that execution from the default, in chronological order.
    pub(crate) fn departures(&self) -> Vec<Departure> {
        let delayed = self.delayed().iter().copied().map(Departure::Delayed);
        // A value before a step was requested by the task that ran before it.
        let mut departures: Vec<_> = self.run.chosen.iter().copied().chain(delayed).collect();
        departures.sort_by_key(Departure::step);
        departures
    }

    /// The coverage, including the current execution.
    fn count(&self) -> ExecutionCoverage {
        let mut coverage = self.coverage.clone();
        if self.running {
            let is_new = self.is_alone() || !self.seen.contains(&self.run.history());
            count_run(&mut coverage, &self.run, is_new, self.is_cut());
        }
        coverage
    }
}

/// Counts an execution.
fn count_run(coverage: &mut ExecutionCoverage, run: &Run, is_new: bool, is_cut: bool) {
    coverage.distinct += u64::from(is_new);
    coverage.steps += run.steps() as u64;
    coverage.branches += u64::from(run.branches());
    coverage.values += run.values() as u64;
    coverage.cut += u64::from(is_cut);
}

impl Member {
    fn next(&mut self, deviations: &mut Branches) -> bool {
        self.done = self.done || !self.enumeration.next_execution(deviations);
        !self.done
    }
}
