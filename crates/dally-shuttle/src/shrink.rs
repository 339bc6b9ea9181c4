//! Shrinking: from a failing walk to a failing execution with few delays.
//!
//! A walk is expressed by its delays of `rr`, each before the n-th step of a task: so a delay keeps its meaning if others
//! are left out. Candidates with fewer delays are run, and replace the best execution if they fail in the same way with
//! fewer delays, or with as many in fewer steps. Delays are removed in chunks of decreasing size, as in delta debugging
//! [Zeller, Hildebrandt: Simplifying and isolating failure-inducing input (TSE 2002)], then pairs are replaced by
//! one, then delays are moved.
//!
//! `dally-explore` shrinks walks of models in the same coordinates. It compares states, which executions of Rust code
//! do not have.

use std::collections::BTreeMap;

use dally_schedule::{Arrangement, Ready, Rr, TaskId};
use shuttle::scheduler as shuttle_scheduler;

use crate::policy::{Delayed, Delays, Guide, Point, Policy, Price};

/// Shrinking ends after executions with this many steps in total.
const MOST_STEPS: usize = 3_000_000;

/// Shrinking ends after this many executions.
const MOST_EXECUTIONS: usize = 2_000;

/// The farthest that a delay is moved, in steps of its task.
const FARTHEST: u32 = 3;

/// Pairs of delays are replaced if there are at most this many.
const MOST_PAIRED: usize = 8;

/// A step of a task: the task, and the number of steps that it took before.
type Local = (TaskId, u32);

/// The delays of an execution: how often a task is delayed before a step.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Plan(BTreeMap<Local, u32>);

impl Plan {
    /// The delays of an execution with these steps.
    pub(crate) fn of(trace: &[shuttle_scheduler::TaskId], delayed: &[Delayed]) -> Self {
        let mut plan = Self::default();
        let mut steps: BTreeMap<TaskId, u32> = BTreeMap::new();
        let mut delayed = delayed.iter().peekable();
        for (step, task) in trace.iter().enumerate() {
            while let Some(delay) = delayed.next_if(|delay| delay.step <= step) {
                let task = ours(delay.task);
                let at = (task, steps.get(&task).copied().unwrap_or(0));
                *plan.0.entry(at).or_default() += 1;
            }
            *steps.entry(ours(*task)).or_default() += 1;
        }
        plan
    }

    /// The number of its delays.
    fn delays(&self) -> u32 {
        self.0.values().sum()
    }

    fn items(&self) -> Vec<Local> {
        self.0.keys().copied().collect()
    }

    /// The plan without some of its delays.
    fn without(&self, items: &[Local]) -> Self {
        let mut plan = self.clone();
        items.iter().for_each(|item| {
            plan.0.remove(item);
        });
        plan
    }

    /// The plan with this many delays before a step.
    fn with(&self, at: Local, delays: u32) -> Self {
        let mut plan = self.clone();
        plan.0.insert(at, delays);
        plan
    }
}

/// An execution that follows a plan.
pub(crate) struct Planned {
    order: Delays<Rr>,
    follower: Follower,
}

struct Follower {
    plan: Plan,
    /// By task: its steps, and its delays before the next one.
    counters: Vec<(u32, u32)>,
    /// The number of tasks that are left to propose at this point.
    left: usize,
}

impl Planned {
    pub(crate) fn new(plan: Plan) -> Self {
        let mut order = Delays::new(Rr::new(Arrangement::Creation), false);
        order.begin();
        Self { order, follower: Follower { plan, counters: Vec::new(), left: 0 } }
    }

    /// The next task, its position in the order, and its price.
    pub(crate) fn next_task(&mut self, point: &Point<'_>) -> (shuttle_scheduler::TaskId, usize, Price) {
        self.order.follow(point, &mut self.follower)
    }

    /// The tasks that were delayed.
    pub(crate) fn delayed(&self) -> &[Delayed] {
        self.order.delayed()
    }
}

impl Follower {
    fn counter(&mut self, task: TaskId) -> &mut (u32, u32) {
        if self.counters.len() <= task.index() {
            self.counters.resize(task.index() + 1, (0, 0));
        }
        &mut self.counters[task.index()]
    }
}

impl Guide for Follower {
    fn arrive(&mut self, ready: &Ready<'_>) {
        self.left = ready.enabled().len();
    }

    fn accepts(&mut self, task: TaskId) -> bool {
        self.left = self.left.saturating_sub(1);
        let (steps, delays) = *self.counter(task);
        // The last task runs whatever the plan says: some task must.
        let accepts = self.left == 0 || delays >= self.plan.0.get(&(task, steps)).copied().unwrap_or(0);
        self.counter(task).1 += u32::from(!accepts);
        accepts
    }

    fn runs(&mut self, task: TaskId, _: usize) {
        let (steps, delays) = self.counter(task);
        (*steps, *delays) = (*steps + 1, 0);
    }
}

/// A failing execution.
pub(crate) struct Failing<T> {
    pub(crate) plan: Plan,
    /// The number of steps of each task.
    pub(crate) steps: BTreeMap<TaskId, u32>,
    pub(crate) found: T,
}

/// The number of steps of each task.
pub(crate) fn steps_of(trace: &[shuttle_scheduler::TaskId]) -> BTreeMap<TaskId, u32> {
    let mut steps = BTreeMap::new();
    trace.iter().for_each(|task| *steps.entry(ours(*task)).or_default() += 1);
    steps
}

/// Searches for a failing execution with fewer delays. `run` executes a plan, and returns the execution if it fails in
/// the same way, and its number of steps.
pub(crate) struct Shrinker<T, F: FnMut(Plan) -> (Option<Failing<T>>, usize)> {
    best: Failing<T>,
    run: F,
    steps: usize,
    executions: usize,
}

impl<T, F: FnMut(Plan) -> (Option<Failing<T>>, usize)> Shrinker<T, F> {
    pub(crate) fn new(first: Failing<T>, run: F) -> Self {
        Self { best: first, run, steps: 0, executions: 0 }
    }

    pub(crate) fn shrink(mut self) -> Failing<T> {
        self.improves(Plan::default());
        loop {
            let before = self.score();
            self.remove_chunks();
            self.reduce_delays();
            self.replace_pairs();
            self.move_delays();
            if self.score() == before || self.is_over() {
                return self.best;
            }
        }
    }

    fn score(&self) -> (u32, u32) {
        (self.best.plan.delays(), self.best.steps.values().sum())
    }

    fn is_over(&self) -> bool {
        self.steps >= MOST_STEPS || self.executions >= MOST_EXECUTIONS
    }

    /// Runs a candidate, which replaces the best execution if it is better.
    fn improves(&mut self, candidate: Plan) -> bool {
        if self.is_over() || candidate == self.best.plan {
            return false;
        }
        let (failing, steps) = (self.run)(candidate);
        self.steps += steps;
        self.executions += 1;
        match failing {
            Some(failing) if (failing.plan.delays(), failing.steps.values().sum()) < self.score() => {
                self.best = failing;
                true
            }
            _ => false,
        }
    }

    /// Removes delays, many at a time as long as that succeeds.
    fn remove_chunks(&mut self) {
        let mut items = self.best.plan.items();
        let mut chunk = items.len().div_ceil(2);
        while chunk > 0 {
            let mut from = 0;
            while from < items.len() && !self.is_over() {
                let to = items.len().min(from + chunk);
                if self.improves(self.best.plan.without(&items[from..to])) {
                    items = self.best.plan.items();
                } else {
                    from = to;
                }
            }
            chunk = if chunk == 1 { 0 } else { chunk.min(items.len()).div_ceil(2) };
        }
    }

    /// Delays tasks fewer times before the same step.
    fn reduce_delays(&mut self) {
        for at in self.best.plan.items() {
            while let Some(delays @ 2..) = self.best.plan.0.get(&at).copied() {
                if !self.improves(self.best.plan.with(at, delays - 1)) {
                    break;
                }
            }
        }
    }

    /// Replaces two delays by one, before any step.
    fn replace_pairs(&mut self) {
        'again: loop {
            let items = self.best.plan.items();
            if items.len() > MOST_PAIRED {
                return;
            }
            let points: Vec<Local> = self
                .best
                .steps
                .iter()
                .flat_map(|(task, steps)| (0..*steps).map(|nth| (*task, nth)))
                .collect();
            for (nth, first) in items.iter().enumerate() {
                for second in &items[nth + 1..] {
                    let without = self.best.plan.without(&[*first, *second]);
                    if points.iter().any(|at| self.improves(without.with(*at, 1))) {
                        continue 'again;
                    }
                }
            }
            return;
        }
    }

    /// Delays a task a few steps earlier or later.
    fn move_delays(&mut self) {
        for (task, nth) in self.best.plan.items() {
            for to in nth.saturating_sub(FARTHEST)..=nth + FARTHEST {
                let Some(delays) = self.best.plan.0.get(&(task, nth)).copied() else { break };
                let without = self.best.plan.without(&[(task, nth)]);
                let there = without.0.get(&(task, to)).copied().unwrap_or(0);
                if to != nth && self.improves(without.with((task, to), there + delays)) {
                    break;
                }
            }
        }
    }
}

fn ours(task: shuttle_scheduler::TaskId) -> TaskId {
    TaskId(usize::from(task) as u32)
}
