//! Walking through a state space by hand: what a policy proposes at a state, and what each step would do.
//!
//! Searches expand nodes with the same policies, for speed and in bulk (`expand.rs`). Here one state at a time is
//! looked at, with everything that a reader may want to know; [state graphs](crate::state_graph()) and explorers are made
//! of it.

use dally_schedule::{Ready, TaskId};

use crate::choices::Path;
use crate::policy::{Happened, Point, Policy, Proposal};
use crate::sight::Between;
use crate::successors::{Event, Successors, Turn};
use crate::{Failure, Program};

/// A program under a policy.
#[derive(Debug)]
pub struct Walk<'a, P, O> {
    program: &'a P,
    policy: &'a O,
}

/// A state that was reached, and the state of the policy there.
#[derive(Clone, Debug)]
pub struct Station<S, T> {
    /// The state.
    pub state: S,
    scheduler: T,
    /// The enabled tasks, ascending.
    pub enabled: Vec<TaskId>,
}

/// A task that the policy proposes at a state.
#[derive(Clone, Debug)]
pub struct Offer<T> {
    /// The task.
    pub task: TaskId,
    /// The cost of the deviations before it is proposed: delays, say.
    pub cost: u32,
    /// The tasks that are delayed before it, in order.
    pub delayed: Vec<TaskId>,
    scheduler: T,
}

/// The outcome of a step, or an initial state.
#[derive(Clone, Debug)]
pub struct Arrival<S, T> {
    /// The option taken at each nondeterministic choice of the step; of an initial state, its index.
    pub path: Path,
    /// The state that is reached.
    pub station: Station<S, T>,
    /// The events of the step.
    pub events: Vec<Event>,
    /// The state of the task at the end of the step.
    pub turn: Turn,
    /// The failure of the step, or the deadlock after it.
    pub failure: Option<Failure>,
}

impl<'a, P: Program, O: Policy> Walk<'a, P, O> {
    /// Walks through this program under this policy.
    pub fn new(program: &'a P, policy: &'a O) -> Self {
        Walk { program, policy }
    }

    /// The initial states.
    pub fn initial(&self) -> Vec<Arrival<P::State, O::SchedulerState>> {
        let mut out = Successors { paths: Some(Vec::new()), ..Successors::default() };
        self.program.initial(&mut out);
        self.arrivals((None, None), &self.policy.start(), &out)
    }

    /// The tasks that the policy proposes at a state, in its order: each enabled task at most once.
    pub fn offers(&self, at: &Station<P::State, O::SchedulerState>) -> Vec<Offer<O::SchedulerState>> {
        let hash = self.program.fingerprint(&at.state).low();
        let point = Point { ready: Ready::at(&at.enabled, hash), exact: false };
        let (mut scheduler, mut cursor) = (at.scheduler.clone(), O::Cursor::default());
        let (mut offers, mut delayed, mut cost) = (Vec::new(), Vec::new(), 0);
        while !at.enabled.is_empty() {
            let proposal = self.policy.propose(&mut scheduler, &mut cursor, &point);
            let before = scheduler.clone();
            let task = match proposal {
                Proposal::End => break,
                Proposal::Pass => None,
                Proposal::Run(task) => {
                    let cost = cost + self.policy.step_cost();
                    offers.push(Offer { task, cost, delayed: delayed.clone(), scheduler: before });
                    Some(task)
                }
            };
            let Some(more) = self.policy.advance(&mut scheduler, &mut cursor, &point) else { break };
            cost += more;
            delayed.extend(task.filter(|_| more > 0));
        }
        offers
    }

    /// The outcomes of the step of a task that is offered: one for each combination of its nondeterministic choices, up to
    /// the first that fails.
    pub fn step(
        &self,
        at: &Station<P::State, O::SchedulerState>,
        offer: &Offer<O::SchedulerState>,
    ) -> Vec<Arrival<P::State, O::SchedulerState>> {
        let mut out = Successors { paths: Some(Vec::new()), ..Successors::default() };
        self.program.step(&at.state, offer.task, &mut out);
        self.arrivals((Some(offer.task), Some(&at.state)), &offer.scheduler, &out)
    }

    /// The outcome of a step along one path; `None` if there is none.
    pub fn step_along(
        &self,
        at: &Station<P::State, O::SchedulerState>,
        offer: &Offer<O::SchedulerState>,
        path: &[u32],
    ) -> Option<Arrival<P::State, O::SchedulerState>> {
        let mut out = Successors::default();
        self.program.resume(&at.state, offer.task, path, &mut out);
        let arrival =
            self.arrivals((Some(offer.task), Some(&at.state)), &offer.scheduler, &out).into_iter().next()?;
        Some(Arrival { path: Path::from_slice(path), ..arrival })
    }

    fn arrivals(
        &self,
        (task, before): (Option<TaskId>, Option<&P::State>),
        scheduler: &O::SchedulerState,
        out: &Successors<P::State>,
    ) -> Vec<Arrival<P::State, O::SchedulerState>> {
        let arrive = |(nth, state): (usize, &P::State)| {
            let outcome = &out.outcomes[nth];
            let (events, turn) = (out.events_of(nth), outcome.turn);
            let sight = Between { program: self.program, before, after: state };
            let happened = Happened { task, events, turn, sight: Some(&sight) };
            let scheduler = self.policy.after(scheduler, &happened);
            let mut failure = outcome.failure().cloned();
            let mut enabled = Vec::new();
            if failure.is_none() {
                self.program.enabled(state, &mut enabled);
            }
            if failure.is_none() && enabled.is_empty() {
                failure = self.program.deadlock(state);
            }
            let station = Station { state: state.clone(), scheduler, enabled };
            let path = if task.is_none() { Path::from_slice(&[nth as u32]) } else { out.path_to(nth) };
            Arrival { path, station, events: events.to_vec(), turn, failure }
        };
        // Nothing is suppressed or suspended here, so each outcome has its state.
        out.states.iter().enumerate().map(arrive).collect()
    }
}
