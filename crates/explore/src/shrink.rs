//! Shrinking: from a failing walk to a failing execution with few deviations from a scheduler.
//!
//! A walk is first expressed by its deviations from a delaying scheduler: the tasks that were delayed, each
//! before its n-th step, and the options taken in the n-th step of each task. These are the coordinates of
//! a local search: if some deviations are left out, the others still mean the same, although the steps of
//! different tasks interleave in another way. Each candidate is executed: the scheduler is followed except
//! for the given deviations, and the first option is taken where none is given. A candidate replaces the
//! best execution if the same failure occurs and its cost is lower, or its cost is equal and it is shorter.
//!
//! The search removes deviations in chunks of decreasing size, as delta debugging does [Zeller, Hildebrandt:
//! Simplifying and isolating failure-inducing input (TSE 2002)]. Then it moves delays, and replaces two
//! deviations by one delay at any point of the execution that is left without them. Last, it
//! [samples](resample) executions with fewer deviations.

mod deviations;
mod prices;
mod resample;
mod same;

use dally_schedule::TaskId;
use dally_schedule::sample::Generator;

use deviations::{Counters, Deviations, Item, Score, for_each_step};
use prices::Prices;
use same::same_failure;

use crate::abandoned::MOST_ABANDONED;
use crate::outcome::Bug;
use crate::sample::{End, Execution, Failing, SampleOptions, Taken};
use crate::{Failure, FailureKind, Program, Schedule, ScheduleStep};

/// A candidate may be longer than the best execution by this many steps; it may also be twice as long.
const MORE_STEPS: usize = 32;

/// The farthest that a delay is moved, in steps of its task.
const FARTHEST: u32 = 3;

/// Pairs of deviations are replaced if there are at most this many deviations.
const MOST_PAIRED: usize = 12;

/// A walk that costs more is resampled before it is shrunk.
const CHEAP: u32 = 4;

/// A failing execution.
struct Best {
    deviations: Deviations,
    score: Score,
    failure: Failure,
    steps: Vec<Taken>,
    /// The cost of the choices of each step.
    choice_costs: Vec<u32>,
}

/// Searches for a simpler execution with the same failure.
pub(crate) struct Shrinker<'a, P: Program> {
    execution: Execution<'a, P>,
    options: &'a SampleOptions,
    counters: Counters,
    prices: Prices<'a, P>,
    /// The number of steps taken.
    steps: u64,
    /// The number of executions that came to a step that cannot be executed, which can take long.
    abandoned: u64,
    stop: &'a dyn Fn() -> bool,
}

impl<'a, P: Program> Shrinker<'a, P> {
    /// A search that ends early if `stop` returns true.
    pub(crate) fn new(program: &'a P, options: &'a SampleOptions, stop: &'a dyn Fn() -> bool) -> Self {
        let (execution, counters) = (Execution::new(program, &options.scheduler), Counters::default());
        let prices = Prices::new(program, options);
        Shrinker { execution, options, counters, prices, steps: 0, abandoned: 0, stop }
    }

    /// The number of steps taken.
    pub(crate) fn steps(&self) -> u64 {
        self.steps
    }

    /// Shrinks a failing walk.
    pub(crate) fn shrink(&mut self, failure: Failure, failing: Failing) -> Bug {
        let Failing { initial, steps } = failing;
        let deviations = Deviations::of(initial, &steps);
        let choice_costs = self.prices.of(initial, &steps);
        let score = self.score(&steps, &choice_costs);
        let mut best = Best { score, deviations, failure, steps, choice_costs };
        let mut random = Generator::new(self.options.seed, u64::MAX);
        self.first_guesses(&mut best);
        // A walk that deviates often takes long to shrink, and a cheaper one may be easy to find.
        if best.score.cost > CHEAP {
            self.resample(&mut best, &mut random);
        }
        loop {
            self.improve(&mut best);
            if !self.resample(&mut best, &mut random) {
                break;
            }
        }
        let schedule = self.schedule(&best);
        Bug { failure: best.failure, schedule, cost: best.score.cost }
    }

    /// Searches around the best execution until nothing near it is better.
    fn improve(&mut self, best: &mut Best) {
        loop {
            let before = best.score;
            self.remove_chunks(best);
            self.reduce_delays(best);
            self.replace_pairs(best);
            self.move_delays(best);
            if best.score == before || self.is_over() {
                return;
            }
        }
    }

    fn is_over(&self) -> bool {
        self.steps >= self.options.shrinking || self.abandoned >= MOST_ABANDONED || (self.stop)()
    }

    /// The limit on the steps of a candidate.
    fn most_steps(&self, best: &Best) -> usize {
        (best.steps.len() * 2 + MORE_STEPS).min(self.options.steps)
    }

    /// Executes a candidate. Replaces the best execution if this one is better.
    fn improves(&mut self, candidate: &Deviations, best: &mut Best) -> bool {
        if self.is_over() {
            return false;
        }
        let end = self.execute(candidate, self.most_steps(best));
        matches!(end, Some(End::Failed(failure)) if self.replaces(&failure, candidate.initial, best))
    }

    /// Replaces the best execution by the one that has just failed, if it is better.
    fn replaces(&mut self, failure: &Failure, initial: u32, best: &mut Best) -> bool {
        if !same_failure(failure, &best.failure) {
            return false;
        }
        let choice_costs = self.prices.of(initial, &self.execution.steps);
        let score = self.score(&self.execution.steps, &choice_costs);
        if score >= best.score {
            return false;
        }
        best.steps.clone_from(&self.execution.steps);
        best.deviations = Deviations::of(initial, &best.steps);
        (best.score, best.failure, best.choice_costs) = (score, failure.clone(), choice_costs);
        true
    }

    /// Follows the scheduler with these deviations, for at most so many steps.
    fn execute(&mut self, deviations: &Deviations, most: usize) -> Option<End> {
        self.counters.clear();
        let mut end = self.execution.begin(|_| u64::from(deviations.initial), None);
        while end.is_none() && self.execution.steps.len() < most {
            let task = self.next_task(deviations)?;
            let mut options = deviations.options(self.counters.next(task)).iter();
            self.counters.step(task);
            self.steps += 1;
            end = self.execution.step(&mut |_| options.next().map_or(0, |option| u64::from(*option)), None);
        }
        self.count_abandoned(end.as_ref());
        end
    }

    fn count_abandoned(&mut self, end: Option<&End>) {
        if let Some(End::Failed(Failure { kind: FailureKind::Unsupported, .. })) = end {
            self.abandoned += 1;
        }
    }

    /// Delays tasks as the deviations say. Returns the task that is proposed then; `None` if a task is proposed
    /// for the second time.
    fn next_task(&mut self, deviations: &Deviations) -> Option<TaskId> {
        loop {
            let task = self.execution.proposal().filter(|_| !self.execution.proposes_again())?;
            let at = self.counters.next(task);
            if self.execution.is_sealed() || self.counters.delayed(task) >= deviations.delays(at) {
                return Some(task);
            }
            self.counters.delay(task);
            self.execution.delay();
        }
    }

    /// Tries executions without any deviation of a kind.
    fn first_guesses(&mut self, best: &mut Best) {
        let nothing = Deviations::of(best.deviations.initial, &[]);
        let mut no_delays = best.deviations.clone();
        no_delays.remove_delays();
        let mut no_choices = best.deviations.clone();
        no_choices.remove_choices();
        for guess in [nothing, no_delays, no_choices] {
            if self.improves(&guess, best) {
                return;
            }
        }
    }

    /// Removes deviations, many at a time as long as that succeeds.
    fn remove_chunks(&mut self, best: &mut Best) {
        let mut items = Deviations::items(&best.steps);
        let mut chunk = items.len().div_ceil(2);
        while chunk > 0 {
            let mut from = 0;
            while from < items.len() && !self.is_over() {
                let to = items.len().min(from + chunk);
                let mut candidate = best.deviations.clone();
                items[from..to].iter().for_each(|item| candidate.remove(*item));
                if self.improves(&candidate, best) {
                    // Deviations that this one has made superfluous are gone as well.
                    items = Deviations::items(&best.steps);
                } else {
                    from = to;
                }
            }
            chunk = if chunk == 1 { 0 } else { chunk.min(items.len()).div_ceil(2) };
        }
    }

    /// Delays tasks fewer times before the same step.
    fn reduce_delays(&mut self, best: &mut Best) {
        for item in Deviations::items(&best.steps) {
            let Item::Delay(at) = item else { continue };
            while best.deviations.delays(at) > 1 {
                let mut candidate = best.deviations.clone();
                candidate.set_delays(at, best.deviations.delays(at) - 1);
                if !self.improves(&candidate, best) {
                    break;
                }
            }
        }
    }

    /// Replaces two deviations that cost something by one delay.
    fn replace_pairs(&mut self, best: &mut Best) {
        'again: loop {
            let items = self.costly_items(&best.steps);
            if items.len() > MOST_PAIRED {
                return;
            }
            for (nth, first) in items.iter().enumerate() {
                for second in &items[nth + 1..] {
                    let mut without = best.deviations.clone();
                    without.remove(*first);
                    without.remove(*second);
                    if self.adds_delay(&without, best) {
                        continue 'again;
                    }
                }
            }
            return;
        }
    }

    /// Adds one delay, at any point of the execution with these deviations.
    fn adds_delay(&mut self, deviations: &Deviations, best: &mut Best) -> bool {
        if self.is_over() {
            return false;
        }
        self.execute(deviations, self.most_steps(best));
        let mut points = Vec::new();
        for_each_step(&self.execution.steps, |counters, step| points.push(counters.next(step.task)));
        points.into_iter().any(|at| {
            let mut candidate = deviations.clone();
            candidate.set_delays(at, candidate.delays(at) + 1);
            self.improves(&candidate, best)
        })
    }

    /// Delays a task a few steps earlier or later.
    fn move_delays(&mut self, best: &mut Best) {
        for item in self.costly_items(&best.steps) {
            let Item::Delay((task, nth)) = item else { continue };
            let delays = best.deviations.delays((task, nth));
            for to in nth.saturating_sub(FARTHEST)..=nth + FARTHEST {
                let mut candidate = best.deviations.clone();
                candidate.remove(item);
                candidate.set_delays((task, to), candidate.delays((task, to)) + delays);
                if to != nth && self.improves(&candidate, best) {
                    break;
                }
            }
        }
    }

    fn score(&self, steps: &[Taken], choice_costs: &[u32]) -> Score {
        let cost = |step: &Taken| self.execution.cost_of_delays(&step.delayed);
        let options = |step: &Taken| step.drawn.iter().filter(|drawn| drawn.option > 0).count();
        Score {
            cost: steps.iter().map(cost).sum::<u32>() + choice_costs.iter().sum::<u32>(),
            steps: steps.len(),
            options: steps.iter().map(options).sum(),
        }
    }

    /// The deviations that may cost something.
    fn costly_items(&self, steps: &[Taken]) -> Vec<Item> {
        let mut items = Deviations::items(steps);
        let mut free = Vec::new();
        for_each_step(steps, |counters, step| {
            let choices = step.drawn.iter().enumerate().filter(|(_, drawn)| !self.prices.may_cost(drawn));
            free.extend(choices.map(|(nth, _)| Item::Choice(counters.next(step.task), nth)));
        });
        items.retain(|item| !free.contains(item));
        items
    }

    /// The schedule of an execution.
    fn schedule(&self, best: &Best) -> Schedule {
        let mut schedule = Schedule::new(self.options.scheduler.clone().into());
        schedule.initial = best.deviations.initial;
        schedule.steps.extend(best.steps.iter().zip(&best.choice_costs).map(|(step, choice_cost)| {
            ScheduleStep {
                task: step.task,
                cost: self.execution.cost_of_delays(&step.delayed),
                choices: step.drawn.iter().map(|drawn| drawn.option).collect(),
                choice_cost: *choice_cost,
            }
        }));
        schedule
    }
}
