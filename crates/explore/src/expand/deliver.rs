//! Delivers the outcomes of a step to the search.

use dally_schedule::TaskId;

use super::fuse::End;
use super::{Expander, Found, Node, Pending, Rest, Sink};
use crate::frontier::{Deferred, Unvisited};
use crate::ledger::Transition;
use crate::order::Pass;
use crate::policy::{Happened, Policy};
use crate::search::Watch;
use crate::sight::Between;
use crate::successors::{Outcome, Special, Successors, Suspended};
use crate::tree::{Branch, Link};
use crate::visited::Rank;
use crate::{Failure, FailureKind, Fingerprint, Program};

impl<P: Program, O: Policy, W: Watch<P::State>> Expander<'_, P, O, W> {
    /// Delivers the outcomes of a step, from this one on, to the sink, with the ends of their chains. Without ends,
    /// no steps were fused.
    #[inline]
    pub(super) fn deliver<K: Sink<P::State, O>>(
        &self,
        from: &Origin<'_, P::State, O>,
        successors: &mut Successors<P::State>,
        (first, ends): (u32, &mut [End<O::SchedulerState>]),
        sink: &mut K,
    ) -> Result<(), Found> {
        let Successors { outcomes, states, events, recent, .. } = successors;
        let mut states = states.drain(..);
        let mut start = 0;
        // The outcomes stay until the next step clears them: to drain them takes more instructions.
        for (nth, outcome) in (0..).zip(outcomes.iter_mut()) {
            let Outcome { has_state, fingerprint, events_end, turn, hot, cold, .. } = *outcome;
            let state = if has_state { states.next() } else { None };
            let events = &events[std::mem::replace(&mut start, events_end as usize)..events_end as usize];
            if nth < first {
                continue;
            }
            let mut link = from.link_to(nth);
            let end = ends.get_mut(nth as usize);
            if end.as_ref().is_some_and(|end| end.is_visited) {
                continue;
            }
            link.fused = end.as_ref().map_or(0, |end| end.steps);
            if let Some(special) = outcome.special.take() {
                self.deliver_special(from, fingerprint, *special, link, sink)?;
                continue;
            }
            let depth = from.depth_after(&link);
            // A recorded step needs its target, whose expansion is deferred instead.
            let when = if K::RECORDS { from.pass } else { self.order.pass(from.pass, from.cost, depth) };
            let known = fingerprint.or_else(|| state.as_ref().map(|s| self.program.fingerprint(s)));
            let Some(key) = known else { continue };
            if K::RECORDS
                && let Some(Taking { task, .. }) = from.step
                && when.is_within(from.pass)
            {
                let branch = link.branch;
                sink.transition(key, &Transition { task, branch, hot, cold, events });
            }
            let Some(state) = state else { continue };
            if let Some(recent) = recent {
                if recent.contains(key) {
                    continue;
                }
                let is_settled = end.as_ref().map_or(!self.effort.fuses, |end| end.is_settled);
                if is_settled && when.is_within(from.pass) {
                    recent.add(key);
                }
            }
            let task = from.step.as_ref().map(|step| step.task);
            let happened = Happened { task, events, turn, sight: None };
            self.deliver_state(from, Arrival { key, state, happened, link, depth, when, end }, sink);
        }
        Ok(())
    }

    /// Delivers a failure or a suspended step.
    #[cold]
    fn deliver_special<K: Sink<P::State, O>>(
        &self,
        from: &Origin<'_, P::State, O>,
        configuration: Option<Fingerprint>,
        special: Special,
        link: Link,
        sink: &mut K,
    ) -> Result<(), Found> {
        let failure = match special {
            Special::Failure(failure) => failure,
            Special::Suspended(suspended) => {
                self.deliver_suspended(from, configuration, suspended, link, sink);
                return Ok(());
            }
        };
        let depth = from.depth_after(&link);
        let when = if K::RECORDS { from.pass } else { self.order.pass(from.pass, from.cost, depth) };
        let found = Found { failure, at: link.from, link: Some(link), cost: from.cost };
        match found.failure.kind {
            _ if from.cost > from.pass.cost => sink.defer(Deferred::Failing(found), when),
            FailureKind::Unsupported => sink.abandon(found.failure),
            _ => return Err(found),
        }
        Ok(())
    }

    /// Offers one successor to the sink, or defers it.
    #[inline]
    fn deliver_state(
        &self,
        from: &Origin<'_, P::State, O>,
        arrival: Arrival<'_, P::State, O>,
        sink: &mut impl Sink<P::State, O>,
    ) {
        let Arrival { key, state, happened, link, depth, when, mut end } = arrival;
        let chain = end.as_ref().map_or(from.chain, |end| end.chain);
        let place = end.as_mut().and_then(|end| end.place.take());
        let after = |state: &P::State| {
            let before = from.step.as_ref().map(|step| step.state);
            let sight = Between { program: self.program, before, after: state };
            let happened = Happened { sight: Some(&sight), ..happened };
            place.unwrap_or_else(|| self.policy.after(from.place, &happened))
        };
        let node = |state, place| Node {
            state,
            place,
            cursor: O::Cursor::default(),
            cost: from.cost,
            cost_here: 0,
            choices: from.choices,
            depth,
            chain,
            id: None,
            pending: None,
        };
        let now = when.is_within(from.pass);
        let rank = Rank { cost: from.cost, depth };
        if self.options.exact {
            let place = after(&state);
            let key = key.with(Fingerprint::of(&place));
            offer_or_defer(sink, (key, link), (!now).then_some(when), rank, || node(state, place));
        } else {
            let make = || {
                let place = after(&state);
                node(state, place)
            };
            offer_or_defer(sink, (key, link), (!now).then_some(when), rank, make);
        }
    }

    /// Offers a suspended step to the sink. Its key includes the state in which the step began, so that
    /// suspensions of different steps are different nodes.
    fn deliver_suspended<K: Sink<P::State, O>>(
        &self,
        from: &Origin<'_, P::State, O>,
        configuration: Option<Fingerprint>,
        at: Suspended,
        link: Link,
        sink: &mut K,
    ) {
        let (Some(Taking { state, task, .. }), Some(configuration)) = (&from.step, configuration) else {
            return;
        };
        if at.options > Branch::MAX_OPTION {
            sink.abandon(Failure::unsupported(format!("a choice among {} options", at.options)));
            return;
        }
        let mut key =
            self.program.fingerprint(state).with(configuration).with(Fingerprint::of(&(task.0, at.options)));
        if self.options.exact {
            key = key.with(Fingerprint::of(from.place));
        }
        // A cycle inside a step is detected along one path. If paths that meet were merged, no path might
        // contain the whole cycle, and a violation of a liveness property would be missed.
        if self.program.properties() > 0 {
            key = key.with(Fingerprint::of(&*at.path));
        }
        let make = || Node {
            state: (*state).clone(),
            place: from.place.clone(),
            cursor: O::Cursor::default(),
            cost: from.cost,
            cost_here: 0,
            choices: from.choices,
            depth: from.depth,
            chain: 0,
            id: None,
            pending: Some(Box::new(Pending {
                task: *task,
                rest: Rest::Options { at, next: 0, taken: false },
            })),
        };
        if from.cost > from.pass.cost {
            let when = self.order.pass(from.pass, from.cost, from.depth);
            sink.defer(Deferred::Unvisited(Unvisited { key, node: make(), link }), when);
            return;
        }
        if K::RECORDS {
            let branch = link.branch;
            sink.transition(key, &Transition { task: *task, branch, hot: 0, cold: 0, events: &[] });
        }
        sink.offer(key, link, Rank { cost: from.cost, depth: from.depth }, make);
    }
}

/// The step whose outcomes are delivered.
pub(super) struct Taking<'a, S> {
    pub(super) state: &'a S,
    pub(super) task: TaskId,
    /// The option with which it was resumed.
    pub(super) option: Option<u32>,
}

/// Where outcomes come from.
pub(super) struct Origin<'a, S, O: Policy> {
    /// None for initial states.
    pub(super) step: Option<Taking<'a, S>>,
    pub(super) place: &'a O::SchedulerState,
    /// The link that the outcomes share, but for their number.
    pub(super) link: Link,
    /// The cost of an execution up to and including the step.
    pub(super) cost: u32,
    /// The part of it that was spent on choices.
    pub(super) choices: u32,
    /// The number of steps before it.
    pub(super) depth: u32,
    /// The number of commuting steps at its end.
    pub(super) chain: u32,
    pub(super) pass: Pass,
}

impl<S, O: Policy> Origin<'_, S, O> {
    #[inline]
    fn link_to(&self, nth: u32) -> Link {
        let branch = match self.step.as_ref().and_then(|step| step.option) {
            Some(option) => Branch::resumed(option, nth),
            None => Branch::step(nth),
        };
        Link { branch, ..self.link }
    }

    /// The number of steps up to the end of a link from here.
    #[inline]
    fn depth_after(&self, link: &Link) -> u32 {
        self.depth + u32::from(self.step.is_some()) + u32::from(link.fused)
    }
}

/// A successor state.
struct Arrival<'a, S, O: Policy> {
    key: Fingerprint,
    state: S,
    happened: Happened<'a>,
    link: Link,
    depth: u32,
    /// The pass in which it is to be expanded.
    when: Pass,
    /// The end of the chain that it is.
    end: Option<&'a mut End<O::SchedulerState>>,
}

#[inline]
fn offer_or_defer<S, O: Policy>(
    sink: &mut impl Sink<S, O>,
    (key, link): (Fingerprint, Link),
    later: Option<Pass>,
    rank: Rank,
    make: impl FnOnce() -> Node<S, O>,
) {
    match later {
        Some(pass) => sink.defer(Deferred::Unvisited(Unvisited { key, node: make(), link }), pass),
        None => sink.offer(key, link, rank, make),
    }
}
