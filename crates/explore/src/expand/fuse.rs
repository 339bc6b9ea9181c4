//! Transition fusion: chains of steps that no other task can observe become one step.
//!
//! Let a step lead to a state at which the step of one task alone suffices ([`crate::reduce`]), or at which only one
//! task is enabled, and let that step have one outcome. Then expansion takes it at once, and goes on from there. The
//! states in between are neither stored nor expanded.
//!
//! Why no failure is missed: let an execution of length n lead from a state in between to a failure. The state has one
//! successor in the chain, from which an execution of length n, or of n − 1, leads to the same failure. So the end of
//! the chain takes the place of the outcome in the induction of [`crate::reduce`], whose proviso is about the
//! ends of chains.
//!
//! A chain ends at a state
//! - through which an earlier chain has passed: it goes on to the end of that one ([`super::passages`]);
//! - whose expansion has begun, or that leads to one that was expanded fully: the search knows its executions;
//! - that must be expanded fully, so that endless executions do not starve other tasks;
//! - after [`MOST_FUSED`] steps, so that a cycle of such steps ends;
//! - at which no step qualifies: it would fail, seal, make a choice or be discarded.
//!
//! The first four depend on the path and on the time. So a thread remembers only such states as recently delivered
//! that no path fuses: else the result would depend on the number of threads.
//!
//! A link of the search tree has the number of its fused steps, from which [`Finder::find`] finds them again.

use dally_schedule::{Ready, TaskId};

use super::deliver::Origin;
use super::passages::{Passage, Passages};
use super::{Expander, Found, Sink, Tally};
use crate::policy::{Happened, Point, Policy, Proposal};
use crate::reduce::{Flaw, Mutant, Reduction};
use crate::search::Watch;
use crate::sight::Between;
use crate::successors::{Event, Successors};
use crate::visited::Mark;
use crate::{Fingerprint, Footprints, Options, Program};

/// The most fused steps in one link.
const MOST_FUSED: u8 = 64;

/// Finds the next step of a chain.
#[derive(Clone, Debug, Default)]
pub(crate) struct Finder<S> {
    enabled: Vec<TaskId>,
    /// The outcome of the step that was found.
    pub(crate) successors: Successors<S>,
    footprints: Footprints,
    flaw: Flaw,
}

impl<S> Finder<S> {
    /// A finder of steps that are suspended at choices among more than `inline` values.
    pub(crate) fn new(inline: u64) -> Self {
        let successors = Successors { inline, ..Successors::default() };
        Self { enabled: Vec::new(), successors, footprints: Footprints::default(), flaw: Flaw::default() }
    }

    /// The finder of a search with these options.
    pub(crate) fn of(options: &Options) -> Self {
        Self { flaw: Flaw::of(options), ..Self::new(options.inline()) }
    }

    /// Lists the tasks that are enabled at a state.
    fn enable<P: Program<State = S>>(&mut self, program: &P, state: &S) {
        self.enabled.clear();
        program.enabled(state, &mut self.enabled);
    }

    /// Finds the next fused step at a state, among the `allowed` tasks: the task that took the last one comes first.
    pub(crate) fn find<P: Program<State = S>>(
        &mut self,
        program: &P,
        state: &S,
        last: TaskId,
        allowed: impl Fn(TaskId) -> bool,
    ) -> Option<TaskId> {
        let Self { enabled, successors, footprints, flaw } = self;
        let is_sole = enabled.len() == 1 || flaw.is(Mutant::FusesConflicts);
        let own = enabled.iter().filter(|task| **task == last);
        let others = enabled.iter().filter(|task| **task != last);
        own.chain(others).copied().find(|task| {
            if !allowed(*task) || !is_sole && !program.commutes(state, *task, footprints) {
                return false;
            }
            successors.clear();
            program.step(state, *task, successors);
            is_plain(successors, *flaw)
        })
    }

    /// As [`Self::find`], for all tasks.
    pub(crate) fn find_any<P: Program<State = S>>(
        &mut self,
        program: &P,
        state: &S,
        last: TaskId,
    ) -> Option<TaskId> {
        self.enable(program, state);
        self.find(program, state, last, |_| true)
    }
}

/// Returns true if a step has one outcome, in which it has ended without a failure, and the order of tasks is as open as
/// before.
fn is_plain<S>(successors: &Successors<S>, flaw: Flaw) -> bool {
    let is_one = successors.len() == 1 && successors.states.len() == 1;
    (is_one || flaw.is(Mutant::FusesLastOutcomes) && successors.states.len() > 1)
        && successors.suspensions == 0
        && !successors.has_failed()
        && (!successors.events.iter().any(Event::seals) || flaw.is(Mutant::FusesSeals))
}

/// The end of a chain that begins with an outcome.
#[derive(Clone, Debug)]
pub(super) struct End<T> {
    /// The scheduler, unless it is that after the outcome.
    pub(super) place: Option<T>,
    /// The number of fused steps.
    pub(super) steps: u8,
    /// The number of those that were taken although other tasks were enabled.
    alone: u8,
    /// The number of commuting steps at the end of the execution.
    pub(super) chain: u32,
    /// True if no path continues the chain.
    pub(super) is_settled: bool,
    /// True if an earlier portion of a layer has visited it, at no higher cost.
    pub(super) is_visited: bool,
}

/// A chain that is being followed.
struct Chain<'c, S, T> {
    end: &'c mut End<T>,
    finder: &'c mut Finder<S>,
    /// The states in between that are remembered.
    passed: &'c mut Vec<Fingerprint>,
}

/// Buffers for chains.
pub(crate) struct Fusing<S, O: Policy> {
    finder: Finder<S>,
    /// By outcome; empty if no steps are fused.
    ends: Vec<End<O::SchedulerState>>,
    /// The states in the current chain that are remembered.
    passed: Vec<Fingerprint>,
    /// The passages of the chains of a step.
    passages: Vec<(Fingerprint, Passage)>,
}

impl<S, O: Policy> Fusing<S, O> {
    pub(super) fn new(options: &Options) -> Self {
        Self { finder: Finder::of(options), ends: Vec::new(), passed: Vec::new(), passages: Vec::new() }
    }
}

impl<P: Program, O: Policy, W: Watch<P::State>> Expander<'_, P, O, W> {
    /// Forgets the chains of the step before. Returns true if the outcomes of a step are to be fused with what follows.
    #[inline]
    pub(super) fn fuses(&self, fusing: &mut Fusing<P::State, O>) -> bool {
        fusing.ends.clear();
        self.effort.fuses
    }

    /// Replaces the outcomes of a step, from this one on, by the ends of the chains that begin with them.
    #[inline(never)]
    pub(super) fn fuse(
        &self,
        from: &Origin<'_, P::State, O>,
        successors: &mut Successors<P::State>,
        first: u32,
        fusing: &mut Fusing<P::State, O>,
        tally: &mut Tally,
        sink: &impl Sink<P::State, O>,
    ) {
        let Fusing { finder, ends, passed, passages } = fusing;
        let Successors { outcomes, states, events, .. } = successors;
        let (mut states, mut start) = (states.iter_mut(), 0);
        for (nth, outcome) in (0..).zip(outcomes) {
            let state = if outcome.has_state { states.next() } else { None };
            let events = &events[std::mem::replace(&mut start, outcome.events_end as usize)..start];
            let mut end = End {
                place: None,
                steps: 0,
                alone: 0,
                chain: from.chain,
                is_settled: false,
                is_visited: false,
            };
            if outcome.fingerprint.is_none() {
                outcome.fingerprint = state.as_deref().map(|state| self.program.fingerprint(state));
            }
            // Outcomes without a state count as well: which ones were delivered recently depends on the thread.
            let is_examined = outcome.fingerprint.is_some_and(|key| self.effort.examines(key));
            tally.examined += u64::from(is_examined && nth >= first && outcome.special.is_none());
            if let Some(state) = state
                && let Some(key) = outcome.fingerprint
                && nth >= first
                && outcome.failure().is_none()
                && !events.iter().any(Event::seals)
            {
                let (task, turn) = (Some(from.link.task), outcome.turn);
                let happened = Happened { task, events, turn, sight: None };
                let chain = Chain { end: &mut end, finder: &mut *finder, passed: &mut *passed };
                let last = self.follow(from, (key, state), &happened, chain, sink);
                outcome.fingerprint = Some(last);
                let depth = from.depth + 1 + u32::from(end.steps);
                // A deferred end is not visited yet.
                let is_offered = self.order.pass(from.pass, from.cost, depth).is_within(from.pass);
                let passage = Passage { cost: from.cost, end: last };
                passages.extend(passed.drain(..).filter(|_| is_offered).map(|state| (state, passage)));
            }
            tally.fuse(u64::from(end.steps), u64::from(end.alone));
            ends.push(end);
        }
    }

    /// Delivers the outcomes of a step, from this one on, with the ends of their chains.
    pub(super) fn deliver_fused(
        &self,
        from: &Origin<'_, P::State, O>,
        successors: &mut Successors<P::State>,
        first: u32,
        fusing: &mut Fusing<P::State, O>,
        sink: &mut impl Sink<P::State, O>,
    ) -> Result<(), Found> {
        self.deliver(from, successors, (first, &mut fusing.ends), sink)?;
        if !fusing.passages.is_empty() {
            sink.pass(&mut fusing.passages);
        }
        Ok(())
    }

    /// Follows the chain from an outcome on. Returns the fingerprint of its end.
    fn follow(
        &self,
        from: &Origin<'_, P::State, O>,
        (mut key, state): (Fingerprint, &mut P::State),
        happened: &Happened<'_>,
        Chain { end, finder, passed }: Chain<'_, P::State, O::SchedulerState>,
        sink: &impl Sink<P::State, O>,
    ) -> Fingerprint {
        let mut last = from.link.task;
        let is_ahead = self.policy.allows_steps_ahead(from.place);
        loop {
            let mark = sink.mark_of(key);
            let depth = from.depth + 1 + u32::from(end.steps);
            let is_open = mark == Mark::Open && end.steps < MOST_FUSED;
            if !is_open || Reduction::at(end.chain, depth, self.options) == Reduction::Full {
                end.is_settled = mark == Mark::Grounded;
                return key;
            }
            if let Some(last) = sink.end_of_chain(key, from.cost) {
                end.is_visited = true;
                return if finder.flaw.is(Mutant::EndsInPassage) { key } else { last };
            }
            finder.enable(self.program, state);
            if finder.enabled.len() > 1 && !self.effort.examines(key) {
                // At another cost, an earlier chain through the state can matter again.
                end.is_settled = !Passages::has_room_for(key);
                return key;
            }
            let after = || end.place.clone().unwrap_or_else(|| self.after_outcome(from, happened, state));
            let next = match is_ahead {
                // Look first: the scheduler is seldom needed.
                true => finder
                    .find(self.program, state, last, |_| true)
                    .map(|task| (task, self.proposed(after(), &finder.enabled, key).0)),
                false => {
                    let (place, proposal) = self.proposed(after(), &finder.enabled, key);
                    let is_sole = finder.enabled.len() == 1;
                    let allowed = |task| proposal == Proposal::Run(task) && (is_sole || task == last);
                    finder.find(self.program, state, last, allowed).map(|task| (task, place))
                }
            };
            let Some((task, place)) = next else {
                end.is_settled = is_ahead || finder.enabled.is_empty();
                return key;
            };
            let Successors { outcomes, states, events, .. } = &mut finder.successors;
            let (Some(outcome), Some(next)) = (outcomes.last(), states.pop()) else { return key };
            if Passages::has_room_for(key) {
                passed.push(key);
            }
            let sight = Between { program: self.program, before: Some(&*state), after: &next };
            let (task, turn) = (Some(task), outcome.turn);
            end.place =
                Some(self.policy.after(&place, &Happened { task, events, turn, sight: Some(&sight) }));
            let is_sole = finder.enabled.len() == 1;
            end.chain = if is_sole { 0 } else { end.chain.saturating_add(1) };
            (end.steps, end.alone) = (end.steps + 1, end.alone + u8::from(!is_sole));
            key = outcome.fingerprint.unwrap_or_else(|| self.program.fingerprint(&next));
            (*state, last) = (next, task.unwrap_or(last));
        }
    }

    /// The scheduler after the first step of a chain.
    fn after_outcome(
        &self,
        from: &Origin<'_, P::State, O>,
        happened: &Happened<'_>,
        state: &P::State,
    ) -> O::SchedulerState {
        let before = from.step.as_ref().map(|step| step.state);
        let sight = Between { program: self.program, before, after: state };
        self.policy.after(from.place, &Happened { sight: Some(&sight), ..*happened })
    }

    /// The scheduler after its first proposal at a state, and the proposal.
    fn proposed(
        &self,
        mut place: O::SchedulerState,
        enabled: &[TaskId],
        key: Fingerprint,
    ) -> (O::SchedulerState, Proposal) {
        let point = Point { ready: Ready::at(enabled, key.low()), exact: false };
        let proposal = self.policy.propose(&mut place, &mut O::Cursor::default(), &point);
        (place, proposal)
    }
}
