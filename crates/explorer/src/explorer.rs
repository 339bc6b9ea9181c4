//! Answers about paths through the state space of a program.

use std::time::{Duration, Instant};

use dally_explore::walk::{Arrival, Offer, Station, Walk};
use dally_explore::{
    Bug, Delays, Event, Failure, Limit, Options, Policy, Schedule, ScheduleStep, SchedulerName, Search,
    StateCoverage, TaskId, Turn, Verdict, Watch,
};
use dally_text::source::SourceMap;
use dally_trace::{Change, Explain, Source, Taken, TaskName, TaskNumbers, Trace};

use crate::from_state::FromState;
use crate::view::{OfferView, OutcomeView, PathStep, View, WalkPath};

/// The most outcomes of one step that are shown.
const OUTCOMES: usize = 64;
/// The most steps of a path that are explained: the last ones.
const EXPLAINED: usize = 300;
/// The most steps of a path.
const LONGEST: usize = 100_000;

/// The limits of a search for a bug from a state.
#[derive(Clone, Copy, Debug)]
pub struct ExplorerLimits {
    /// The time.
    pub time: Duration,
    /// The number of states.
    pub states: usize,
}

impl Default for ExplorerLimits {
    fn default() -> Self {
        ExplorerLimits { time: Duration::from_secs(10), states: 1_000_000 }
    }
}

/// A program to be explored under a delaying scheduler.
#[derive(Debug)]
pub struct Explorer<'a, P> {
    program: &'a P,
    policy: Delays,
    sources: SourceMap,
    source: Source,
    limits: ExplorerLimits,
}

/// The state of the scheduler.
type SchedulerState = <Delays as Policy>::SchedulerState;

/// The end of a path.
struct PathEnd<S> {
    at: Station<S, SchedulerState>,
    initials: usize,
    schedule: Schedule,
    tasks: TaskNumbers,
    /// The tasks that have not completed, in the order of their posts.
    live: Vec<TaskId>,
    failure: Option<Failure>,
}

impl<S> PathEnd<S> {
    /// Records the events of a step.
    fn note(&mut self, task: Option<TaskId>, events: &[Event], turn: Turn) {
        self.tasks.add(events);
        for event in events {
            match event {
                Event::Posted(posted, _) => self.live.push(*posted),
                Event::Ended(ended) => self.live.retain(|live| live != ended),
                _ => {}
            }
        }
        if turn == Turn::Completes {
            self.live.retain(|live| Some(*live) != task);
        }
    }
}

impl<'a, P: Explain> Explorer<'a, P> {
    /// Explores a program. `sources` has its text, and `source` its files, as traces record them.
    pub fn new(program: &'a P, scheduler: &SchedulerName, sources: SourceMap, source: Source) -> Self {
        Explorer {
            program,
            policy: Delays::named(scheduler),
            sources,
            source,
            limits: ExplorerLimits::default(),
        }
    }

    /// Explores a model in Rust, which has no text.
    pub fn of_model(program: &'a P, scheduler: &SchedulerName) -> Self {
        Self::new(program, scheduler, SourceMap::default(), Source::default())
    }

    /// Limits searches for bugs.
    #[must_use]
    pub fn with_limits(self, limits: ExplorerLimits) -> Self {
        Explorer { limits, ..self }
    }

    fn walk(&self) -> Walk<'_, P, Delays> {
        Walk::new(self.program, &self.policy)
    }

    /// Follows a path. An error is a sentence.
    fn follow(&self, path: &WalkPath) -> Result<PathEnd<P::State>, String> {
        if path.steps.len() > LONGEST {
            return Err(format!("a path has at most {LONGEST} steps"));
        }
        let walk = self.walk();
        let mut initial = walk.initial();
        let initials = initial.len();
        if path.initial as usize >= initials {
            return Err(format!("there is no initial state {}", path.initial));
        }
        let Arrival { station, events, failure, .. } = initial.swap_remove(path.initial as usize);
        let mut schedule = Schedule::new(self.policy.strategy());
        schedule.initial = path.initial;
        let (tasks, live) = (TaskNumbers::default(), Vec::new());
        let mut end = PathEnd { at: station, initials, schedule, tasks, live, failure };
        end.note(None, &events, Turn::Yields);
        for (nth, step) in path.steps.iter().enumerate() {
            self.take(&walk, &mut end, step).map_err(|why| format!("step {}: {why}", nth + 1))?;
        }
        Ok(end)
    }

    /// Takes a step at the end of a path.
    fn take(
        &self,
        walk: &Walk<'_, P, Delays>,
        end: &mut PathEnd<P::State>,
        step: &PathStep,
    ) -> Result<(), String> {
        let task = TaskId(step.task);
        let offers = walk.offers(&end.at);
        let offer = offers.iter().find(|offer| offer.task == task);
        let offer = offer.ok_or_else(|| format!("task {task} cannot run here"))?;
        let arrival = walk.step_along(&end.at, offer, &step.choices);
        let arrival = arrival.ok_or_else(|| format!("task {task} cannot make these choices"))?;
        let choices = arrival.path.clone();
        end.schedule.steps.push(ScheduleStep { task, cost: offer.cost, choices, choice_cost: 0 });
        end.note(Some(task), &arrival.events, arrival.turn);
        end.failure = arrival.failure;
        end.at = arrival.station;
        Ok(())
    }

    /// The state at the end of a path, and what can be done there. An error is a sentence.
    pub fn view(&self, path: &WalkPath) -> Result<View, String> {
        let end = self.follow(path)?;
        let walk = self.walk();
        let values = self.values(&end.at.state, &end.tasks);
        let offers =
            walk.offers(&end.at).iter().map(|offer| self.offer(&walk, &end, offer, &values)).collect();
        let spent = end.schedule.deviations();
        let failure = end.failure.as_ref().map(ToString::to_string);
        let strategy = self.policy.strategy().to_string();
        let initials = end.initials;
        let mut steps = self.trace_of(end)?.steps;
        let missing = path.steps.len().saturating_sub(steps.len().min(EXPLAINED));
        steps.drain(..steps.len().saturating_sub(EXPLAINED));
        Ok(View { strategy, initials, steps, missing, spent, values, failure, offers })
    }

    fn offer(
        &self,
        walk: &Walk<'_, P, Delays>,
        end: &PathEnd<P::State>,
        offer: &Offer<SchedulerState>,
        values: &[Change],
    ) -> OfferView {
        let name = |task: TaskId| TaskName {
            task: end.tasks.of(task),
            name: self.program.task_name(&end.at.state, task),
        };
        let arrivals = walk.step(&end.at, offer);
        let more = arrivals.len().saturating_sub(OUTCOMES);
        let outcome = |arrival: Arrival<P::State, SchedulerState>| {
            let mut tasks = end.tasks.clone();
            tasks.add(&arrival.events);
            let taken = Taken {
                before: &end.at.state,
                after: &arrival.station.state,
                task: offer.task,
                choices: &arrival.path,
                tasks: &tasks,
            };
            let after = self.values(&arrival.station.state, &tasks);
            OutcomeView {
                choices: arrival.path.to_vec(),
                statements: dally_trace::statements(self.program, &taken, &self.sources),
                changes: after.into_iter().filter(|change| !values.contains(change)).collect(),
                failure: arrival.failure.map(|failure| failure.to_string()),
            }
        };
        OfferView {
            task: offer.task.0,
            name: name(offer.task),
            cost: offer.cost,
            delayed: offer.delayed.iter().map(|task| name(*task)).collect(),
            outcomes: arrivals.into_iter().take(OUTCOMES).map(outcome).collect(),
            more,
        }
    }

    /// The shared variables, then those of single tasks.
    fn values(&self, state: &P::State, tasks: &TaskNumbers) -> Vec<Change> {
        let mut values = self.program.variables(state, tasks);
        values.extend(self.program.task_variables(state, tasks));
        values
    }

    /// The path as a trace, which can be saved and replayed. An error is a sentence.
    pub fn trace(&self, path: &WalkPath) -> Result<Trace, String> {
        self.trace_of(self.follow(path)?)
    }

    fn trace_of(&self, end: PathEnd<P::State>) -> Result<Trace, String> {
        let cost = end.schedule.cost();
        let bug = Bug { failure: end.failure.unwrap_or_else(Failure::path), schedule: end.schedule, cost };
        dally_trace::trace(self.program, &bug, &self.sources, self.source.clone(), true)
            .map_err(|error| error.to_string())
    }

    /// Searches for a bug from the end of a path: executions with few delays first. Returns the path to it, or a sentence
    /// that says what was covered.
    pub fn find_bug(&self, path: &WalkPath) -> Result<Result<WalkPath, String>, String> {
        let end = self.follow(path)?;
        if let Some(failure) = end.failure {
            return Ok(Err(format!("the path fails already: {failure}")));
        }
        let program = FromState::new(self.program, end.at.state, end.live);
        let options = Options { states: Some(self.limits.states), ..Options::default() };
        let watch = Clock { until: Instant::now() + self.limits.time };
        let report = Search::new(&program, &self.policy, &options, &watch).run();
        Ok(match report.verdict {
            Verdict::Bug(bug) => {
                let found = bug.schedule.steps.iter();
                let found = found.map(|step| PathStep { task: step.task.0, choices: step.choices.to_vec() });
                let steps = path.steps.iter().cloned().chain(found).collect();
                Ok(WalkPath { initial: path.initial, steps })
            }
            verdict => Err(format!("{} ({} states)", sentence(&verdict), report.coverage.states)),
        })
    }
}

/// The verdict of a search without a bug.
fn sentence(verdict: &Verdict) -> String {
    match verdict {
        Verdict::Proved => "no execution from here fails".to_owned(),
        Verdict::Inconclusive(limit) => format!("no bug was found from here: {limit}"),
        Verdict::Unsupported(construct) => format!("unsupported: {construct}"),
        Verdict::ProvedWithin(_) | Verdict::NoBug | Verdict::Bug(_) => {
            "no bug was found from here".to_owned()
        }
    }
}

/// Ends a search at a time.
struct Clock {
    until: Instant,
}

impl<S> Watch<S> for Clock {
    fn poll(&self, _: &StateCoverage) -> Option<Limit> {
        (Instant::now() >= self.until).then_some(Limit::Time)
    }
}
