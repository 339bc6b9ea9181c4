//! The engines of a verification, and the order of their work.
//!
//! One engine searches each bound, one bound after the other, so that most runs are the same each time. Only where a step
//! takes longer than [`PATIENCE`] do others start beside it, as far as there are cores: one with few globals tracked, and one
//! that searches the bound that comes next. The first answer about a step counts, and the slower engine of the step is
//! dropped. A bug ends the race at whatever bound it is found.
//!
//! An engine that fails for a reason that another need not have, such as quantifiers or a time limit of queries, leaves the
//! step to the others for a while that depends on how long it has taken itself.

use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::thread::Scope;
use std::time::{Duration, Instant};

use dally_explore::BoundCoverage;
use dally_verify::{Answer, Effort, NoAnswer, Path, SolverError, VerifyLimits};

use super::engine::{Basis, Command, Engine, Event, Job, Made, Method};
use super::report;
use super::stages::Stages;

/// Longer than nearly all steps take.
const PATIENCE: Duration = Duration::from_secs(2);
/// The time between two looks at the clock.
const EVERY: Duration = Duration::from_millis(50);
/// The others have at least so long after an engine has failed.
const LEAST_SECOND_CHANCE: Duration = Duration::from_secs(10);

/// A failing execution of the translation at an index.
type Found = (usize, Box<Path>);

/// The result of a race.
pub(crate) struct Outcome {
    pub(crate) end: Result<Option<Found>, NoAnswer>,
    /// The coverage of each bound.
    pub(crate) bounds: Vec<BoundCoverage>,
    pub(crate) effort: Effort,
    pub(crate) basis: Basis,
}

/// One bound on schedules.
#[derive(Default)]
struct Attempt {
    engines: Vec<Engine>,
    /// The methods that have failed, or that need not be tried again.
    spent: Vec<Method>,
    /// The work of engines that are gone.
    effort: Effort,
    /// The highest recursion bound that is complete.
    recursion: u32,
    /// The highest recursion bound that is complete ahead of its turn.
    ahead: u32,
    /// The final result: true for a proof.
    proved: Option<bool>,
}

impl Attempt {
    /// Drops engines.
    fn drop_engines(&mut self, is_dropped: impl Fn(&Engine) -> bool) {
        for engine in self.engines.extract_if(.., |engine| is_dropped(engine)) {
            self.effort += engine.effort;
        }
    }

    fn effort(&self) -> Effort {
        let mut effort = self.effort;
        self.engines.iter().for_each(|engine| effort += engine.effort);
        effort
    }

    fn has(&self, method: Method) -> bool {
        self.engines.iter().any(|engine| engine.method == method)
    }

    /// True if an engine that searches for bugs is at work.
    fn is_searched(&self) -> bool {
        self.engines.iter().any(|engine| engine.method.is_search() && engine.searching.is_some())
    }
}

/// A step of the deepening: one bound on schedules with one on recursion.
#[derive(Clone, Copy)]
struct Bounds {
    index: usize,
    recursion: u32,
    started: Instant,
}

/// The meaning of an event for the step under way.
enum News {
    /// The step is complete.
    Complete,
    Bug(Found),
    /// The engines of this step have failed.
    Failed(NoAnswer),
    /// Nothing.
    None,
}

pub(crate) struct Race<'scope, 'env, 't> {
    stages: &'env Stages<'t>,
    texts: &'env [Made<'t>],
    scope: &'scope Scope<'scope, 'env>,
    sender: Sender<Event>,
    events: Receiver<Event>,
    attempts: Vec<Attempt>,
    /// The basis of the answers so far.
    basis: Basis,
    /// The most engines beside the one whose turn it is.
    most_beside: usize,
}

impl<'scope, 'env, 't> Race<'scope, 'env, 't>
where
    't: 'env,
{
    pub(crate) fn new(
        stages: &'env Stages<'t>,
        texts: &'env [Made<'t>],
        scope: &'scope Scope<'scope, 'env>,
    ) -> Self {
        let (sender, events) = mpsc::channel();
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let most_beside = (cores - 1).max(1);
        Race {
            stages,
            texts,
            scope,
            sender,
            events,
            attempts: Vec::new(),
            basis: Basis::default(),
            most_beside,
        }
    }

    pub(crate) fn run(mut self) -> Outcome {
        let end = self.rise();
        let mut effort = Effort::default();
        self.attempts.iter().for_each(|attempt| effort += attempt.effort());
        Outcome { end, bounds: self.bounds(), effort, basis: std::mem::take(&mut self.basis) }
    }

    /// Raises the bounds in turns.
    fn rise(&mut self) -> Result<Option<Found>, NoAnswer> {
        for stage in 0.. {
            if stage < self.texts.len() {
                self.attempt(stage);
            }
            for index in 0..self.attempts.len().min(stage + 1) {
                if self.attempts[index].proved.is_some() {
                    continue;
                }
                let bug = self.step(stage, index)?;
                if bug.is_some() {
                    return Ok(bug);
                }
                let bounds = self.bounds();
                self.stages.progress.complete(&bounds[index].clone(), bounds);
            }
            if stage + 1 >= self.texts.len() && self.attempts.iter().all(|a| a.proved.is_some()) {
                return Ok(None);
            }
            if self.stages.budget.until.is_some_and(|until| Instant::now() >= until) {
                return Err(NoAnswer::Solver(SolverError::Time));
            }
        }
        Ok(None)
    }

    /// Makes sure that there are attempts up to an index.
    fn attempt(&mut self, index: usize) {
        while self.attempts.len() <= index {
            self.attempts.push(Attempt::default());
        }
    }

    /// The bound on recursion of a stage.
    fn recursion(&self, stage: usize, index: usize) -> u32 {
        let steps = u32::try_from(stage.saturating_sub(index)).unwrap_or(u32::MAX);
        let most = self.stages.most_recursion().unwrap_or(u32::MAX);
        1u32.checked_shl(steps).unwrap_or(u32::MAX).min(most)
    }

    /// Searches one bound on schedules with one on recursion.
    fn step(&mut self, stage: usize, index: usize) -> Result<Option<Found>, NoAnswer> {
        let step = Bounds { index, recursion: self.recursion(stage, index), started: Instant::now() };
        let bound = self.stages.plan.target(index).map(report::within);
        self.stages.progress.search(bound, step.recursion);
        if self.attempts[index].ahead >= step.recursion {
            self.complete(step);
            return Ok(None);
        }
        if Method::SEARCHES.iter().any(|method| self.attempts[index].has(*method)) {
            self.command(index, step.recursion);
        } else {
            self.start(index, self.stages.method(), step.recursion);
        }
        let (mut is_helped, mut failed) = (false, None);
        loop {
            match self.events.recv_timeout(EVERY) {
                Ok(event) => match self.judge(step, event) {
                    News::Complete => return Ok(None),
                    News::Bug(found) => return Ok(Some(found)),
                    News::Failed(failure) => {
                        let until = Instant::now() + LEAST_SECOND_CHANCE.max(step.started.elapsed() * 4);
                        let (first, until) = failed.take().unwrap_or((failure, until));
                        if !self.has_second_chance(step, &first) {
                            return Err(first);
                        }
                        failed = Some((first, until));
                    }
                    News::None => {}
                },
                Err(RecvTimeoutError::Disconnected) => return Ok(None),
                Err(RecvTimeoutError::Timeout) => {}
            }
            if failed.as_ref().is_some_and(|(_, until)| Instant::now() >= *until) {
                return failed.map_or(Ok(None), |(failure, _)| Err(failure));
            }
            if !is_helped && step.started.elapsed() >= PATIENCE {
                is_helped = true;
                self.help(stage, step);
            }
        }
    }

    /// Starts an engine for a bound on schedules, with one on recursion.
    fn start(&mut self, index: usize, method: Method, recursion: u32) {
        let (commands, received) = mpsc::channel();
        let job = Job::new(self.stages, &self.texts[index], index, method);
        let events = self.sender.clone();
        let mut engine = job.engine(commands);
        engine.command(Command { recursion, terms: VerifyLimits::TERMS.saturating_sub(self.held()) });
        self.attempts[index].engines.push(engine);
        self.scope.spawn(move || job.run(&received, &events));
    }

    /// The number of terms of all engines.
    fn held(&self) -> usize {
        self.attempts.iter().flat_map(|attempt| &attempt.engines).map(Engine::held).sum()
    }

    /// Gives the engines of a bound that wait a bound on recursion.
    fn command(&mut self, index: usize, recursion: u32) {
        let held = self.held();
        for engine in self.attempts[index].engines.iter_mut().filter(|engine| engine.searching.is_none()) {
            let others = held - engine.held().min(held);
            engine.command(Command { recursion, terms: VerifyLimits::TERMS.saturating_sub(others) });
        }
    }

    /// Starts engines beside the one whose step takes long.
    fn help(&mut self, stage: usize, step: Bounds) {
        let mut left = self.most_beside;
        if self.try_another(step) {
            left -= 1;
        }
        let next = step.index + 1;
        if left == 0 || next >= self.texts.len() {
            return;
        }
        // The next in this stage, or the one that the next stage opens.
        self.attempt(next);
        let recursion = if next <= stage { self.recursion(stage, next) } else { 1 };
        let attempt = &self.attempts[next];
        if attempt.proved.is_none() && attempt.ahead < recursion {
            match attempt.engines.is_empty() {
                true => self.start(next, self.stages.method(), recursion),
                false => self.command(next, recursion),
            }
        }
    }

    /// Starts an engine with another method for a step, if there is one left.
    fn try_another(&mut self, step: Bounds) -> bool {
        let attempt = &self.attempts[step.index];
        let is_left = |method: &&Method| !attempt.has(**method) && !attempt.spent.contains(method);
        let method = match self.stages.can_abstract() {
            true => Method::SEARCHES.iter().find(is_left),
            false => None,
        };
        method.inspect(|method| self.start(step.index, **method, step.recursion)).is_some()
    }

    /// True if another engine is at work on a step that one has failed at.
    fn has_second_chance(&mut self, step: Bounds, failure: &NoAnswer) -> bool {
        match failure {
            NoAnswer::Unknown(_) | NoAnswer::TooLarge | NoAnswer::Solver(SolverError::QueryTime) => {
                self.attempts[step.index].is_searched() || self.try_another(step)
            }
            NoAnswer::Unsupported(_) | NoAnswer::Contradiction(_) | NoAnswer::Solver(_) => false,
        }
    }

    /// Takes note of an event.
    fn judge(&mut self, step: Bounds, event: Event) -> News {
        let Event { attempt: index, engine: id, method, recursion, answer, effort, basis } = event;
        let attempt = &mut self.attempts[index];
        let Some(engine) = attempt.engines.iter_mut().find(|engine| engine.id == id) else {
            // It was dropped.
            return News::None;
        };
        (engine.searching, engine.effort) = (None, effort);
        let concerns = index == step.index;
        let answer = match answer {
            Ok(answer) => answer,
            Err(failure) => {
                attempt.drop_engines(|engine| engine.id == id);
                attempt.spent.push(method);
                // An engine ahead of its turn is started again when its turn comes.
                return match method.is_search() && concerns {
                    true => News::Failed(failure),
                    false => News::None,
                };
            }
        };
        match answer {
            Answer::Bug(path) => {
                self.basis.tracked = basis.tracked.or(self.basis.tracked.take());
                return News::Bug((index, path));
            }
            Answer::Proved => {
                attempt.proved = Some(true);
                attempt.recursion = attempt.recursion.max(recursion);
                attempt.drop_engines(|_| true);
                self.basis.tracked = basis.tracked.or(self.basis.tracked.take());
                self.basis.summaries = basis.summaries.or(self.basis.summaries.take());
                self.basis.contradictory = basis.contradictory.or(self.basis.contradictory);
            }
            Answer::NoBug => {
                self.basis.contradictory = basis.contradictory.or(self.basis.contradictory);
                attempt.ahead = attempt.ahead.max(recursion);
                self.basis.tracked = basis.tracked.or(self.basis.tracked.take());
            }
        }
        let is_complete = attempt.proved.is_some() || attempt.ahead >= step.recursion;
        if concerns && is_complete {
            self.complete(step);
            return News::Complete;
        }
        News::None
    }

    /// A step has no bug.
    fn complete(&mut self, step: Bounds) {
        let attempt = &mut self.attempts[step.index];
        if attempt.proved.is_some() {
            return;
        }
        attempt.recursion = step.recursion;
        if Some(step.recursion) == self.stages.most_recursion() {
            attempt.proved = Some(false);
            attempt.drop_engines(|_| true);
            return;
        }
        // The slower engine of this step is dropped; it may be started again.
        attempt.drop_engines(|engine| engine.method.is_search() && engine.searching.is_some());
        let arguments = self.stages.arguments;
        let is_bounded =
            arguments.recursion.is_some() || arguments.calls.is_some() || arguments.full_inlining;
        for method in Method::PROOFS.into_iter().filter(|_| !is_bounded) {
            let attempt = &self.attempts[step.index];
            if !attempt.has(method) && !attempt.spent.contains(&method) {
                self.start(step.index, method, step.recursion);
            }
        }
    }

    /// The coverage of each bound.
    fn bounds(&self) -> Vec<BoundCoverage> {
        let bound = |(index, attempt): (usize, &Attempt)| BoundCoverage {
            bound: self.stages.plan.target(index).map(report::within),
            recursion: attempt.recursion,
            proved: attempt.proved == Some(true),
        };
        self.attempts.iter().enumerate().map(bound).collect()
    }
}
