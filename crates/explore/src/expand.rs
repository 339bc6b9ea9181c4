//! The expansion of one node, shared by all searches.
//!
//! [TR15 Fig. 1], the body of `BoundedDFS`: at a state, the policy proposes tasks one after
//! another, at rising cost. Expansion takes a step of each task and offers the outcomes to the
//! search. When a proposal costs more than the bound, the node is deferred together with its
//! remaining proposals.
//!
//! Deviations:
//! 1. A successor that was visited before does not end the loop: expansion goes on to the next
//!    delay. (The figure stops there, which misses states.)
//! 2. Outcomes other than the first can cost extra ([`Options::choice_cost`]), and so can steps
//!    ([`Policy::step_cost`]). An outcome that costs more than the bound is deferred, and not
//!    marked as visited.

use dally_schedule::{Ready, TaskId};

use crate::frontier::{Deferred, Unvisited};
use crate::ledger::Transition;
use crate::policy::{Happened, Omission, Point, Policy, Proposal};
use crate::search::{Options, Watch};
use crate::successors::{Outcome, Successors};
use crate::tree::{Link, NodeId};
use crate::visited::Recent;
use crate::{Failure, Fingerprint, Program};

/// A state to be expanded, with the policy's state.
pub(crate) struct Node<S, O: Policy> {
    pub(crate) state: S,
    pub(crate) place: O::SchedulerState,
    pub(crate) cursor: O::Cursor,
    /// The cost of an execution that takes the next proposal here.
    pub(crate) cost: u32,
    /// The part of `cost` that was spent at this state.
    pub(crate) cost_here: u32,
    /// Set once the node is in the visited set.
    pub(crate) id: Option<NodeId>,
}

/// Receives what expansion finds.
pub(crate) trait Sink<S, O: Policy> {
    /// True if [`Self::transition`] is to be called.
    const RECORDS: bool;
    /// The tasks that are enabled at a node, if an earlier bound recorded them.
    fn enabled(&self, node: NodeId) -> Option<&[TaskId]>;
    /// The transitions from now on start at `node`, where the tasks `enabled` are enabled.
    fn begin(&mut self, node: Option<NodeId>, enabled: &[TaskId]);
    /// A transition within the bound. Its target is offered as well, unless that happened recently.
    fn transition(&mut self, key: Fingerprint, transition: &Transition<'_>);
    /// A node was reached within the bound. If its key is new, `make` builds the node.
    fn offer(&mut self, key: Fingerprint, link: Link, make: impl FnOnce() -> Node<S, O>);
    /// Work that costs more than the bound.
    fn defer(&mut self, deferred: Deferred<S, O>);
}

/// A failure, with the node at which it occurs and, unless it is a deadlock, the failing step.
pub(crate) struct Found {
    pub(crate) failure: Failure,
    pub(crate) at: Option<NodeId>,
    pub(crate) link: Option<Link>,
    pub(crate) cost: u32,
}

/// Counters of expansion.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Tally {
    pub(crate) transitions: u64,
    pub(crate) sealed: u64,
    pub(crate) unproposed: u64,
    pub(crate) finals: u64,
}

impl Tally {
    pub(crate) fn add(&mut self, other: &Self) {
        self.transitions += other.transitions;
        self.sealed += other.sealed;
        self.unproposed += other.unproposed;
        self.finals += other.finals;
    }
}

/// Buffers and counters of one thread.
pub(crate) struct Scratch<S> {
    enabled: Vec<TaskId>,
    successors: Successors<S>,
    pub(crate) tally: Tally,
}

impl<S> Scratch<S> {
    pub(crate) fn new(options: &Options) -> Self {
        // In exact mode a key includes the policy's state, which a fingerprint alone does not show.
        let recent = (!options.exact).then(Recent::default);
        let successors = Successors { recent, ..Successors::default() };
        Self { enabled: Vec::new(), successors, tally: Tally::default() }
    }
}

/// Everything that expansion depends on.
pub(crate) struct Expander<'a, P, O, W> {
    pub(crate) program: &'a P,
    pub(crate) policy: &'a O,
    pub(crate) watch: &'a W,
    pub(crate) options: &'a Options,
}

impl<P: Program, O: Policy, W: Watch<P::State>> Expander<'_, P, O, W> {
    /// Offers the initial states.
    pub(crate) fn begin(
        &self,
        scratch: &mut Scratch<P::State>,
        sink: &mut impl Sink<P::State, O>,
    ) -> Result<(), Found> {
        scratch.successors.clear();
        self.program.initial(&mut scratch.successors);
        let place = self.policy.start();
        let link = Link { from: None, task: TaskId(0), choice: 0, cost: 0 };
        let from = Origin { place: &place, task: None, link, cost: 0, bound: u32::MAX };
        self.deliver(&from, &mut scratch.successors, sink)
    }

    /// Takes the steps of a node whose cost is within the bound, and defers the others.
    pub(crate) fn expand(
        &self,
        mut node: Node<P::State, O>,
        bound: u32,
        scratch: &mut Scratch<P::State>,
        sink: &mut impl Sink<P::State, O>,
    ) -> Result<(), Found> {
        let Scratch { enabled, successors, tally } = scratch;
        enabled.clear();
        match node.id.and_then(|node| sink.enabled(node)) {
            Some(known) => enabled.extend_from_slice(known),
            None => self.program.enabled(&node.state, enabled),
        }
        if enabled.is_empty() {
            tally.finals += 1;
            return self.check_final(&node);
        }
        let key = self.program.fingerprint(&node.state);
        let point = Point { ready: Ready::at(enabled, key.low()), exact: self.options.exact };
        sink.begin(node.id, enabled);
        // A step that changes nothing leads to a visited state.
        if let Some(recent) = &mut successors.recent {
            recent.add(key);
        }
        loop {
            if node.cost > bound {
                sink.defer(Deferred::Partial(node));
                return Ok(());
            }
            if let Proposal::Run(task) = self.policy.propose(&mut node.place, &mut node.cursor, &point) {
                successors.clear();
                self.program.step(&node.state, task, successors);
                tally.transitions += successors.len() as u64;
                let link = Link { from: node.id, task, choice: 0, cost: node.cost_here };
                let cost = node.cost + self.policy.step_cost();
                let from = Origin { place: &node.place, task: Some(task), link, cost, bound };
                self.deliver(&from, successors, sink)?;
            }
            match self.policy.advance(&mut node.place, &mut node.cursor, &point) {
                Some(more) => (node.cost, node.cost_here) = (node.cost + more, node.cost_here + more),
                None => break,
            }
        }
        match self.policy.omission(&node.place, &node.cursor, &point) {
            Omission::Nothing => {}
            Omission::Sealed => tally.sealed += 1,
            Omission::Unproposed => tally.unproposed += 1,
        }
        Ok(())
    }

    /// The heap bytes that a node owns.
    pub(crate) fn heap_bytes(&self, node: &Node<P::State, O>) -> usize {
        self.program.heap_bytes(&node.state) + self.policy.heap_bytes(&node.place)
    }

    /// No task is enabled: reports a deadlock, or a final state.
    fn check_final(&self, node: &Node<P::State, O>) -> Result<(), Found> {
        match self.program.deadlock(&node.state) {
            Some(failure) => Err(Found { failure, at: node.id, link: None, cost: node.cost }),
            None => {
                self.watch.final_state(&node.state);
                Ok(())
            }
        }
    }

    /// Delivers the outcomes of a step to the sink.
    #[inline]
    fn deliver<K: Sink<P::State, O>>(
        &self,
        from: &Origin<'_, O>,
        successors: &mut Successors<P::State>,
        sink: &mut K,
    ) -> Result<(), Found> {
        let Successors { outcomes, states, events, recent } = successors;
        let mut states = states.drain(..);
        let mut start = 0;
        for (choice, outcome) in outcomes.drain(..).enumerate() {
            let choice = u32::try_from(choice).expect("a step has fewer than 2³² outcomes");
            let extra = if choice > 0 && from.task.is_some() { self.options.choice_cost } else { 0 };
            let link = Link { choice, cost: from.link.cost + extra + self.policy.step_cost(), ..from.link };
            let cost = from.cost + extra;
            let Outcome { has_state, fingerprint, events_end, turn, hot, cold, failure } = outcome;
            let state = if has_state { states.next() } else { None };
            let events = &events[std::mem::replace(&mut start, events_end as usize)..events_end as usize];
            match failure {
                None => {
                    let known = fingerprint.or_else(|| state.as_ref().map(|s| self.program.fingerprint(s)));
                    let Some(key) = known else { continue };
                    if K::RECORDS
                        && let Some(task) = from.task
                        && cost <= from.bound
                    {
                        sink.transition(key, &Transition { task, choice, hot, cold, events });
                    }
                    let Some(state) = state else { continue };
                    if let Some(recent) = recent {
                        if recent.contains(key) {
                            continue;
                        }
                        if cost <= from.bound {
                            recent.add(key);
                        }
                    }
                    let happened = Happened { task: from.task, events, turn };
                    self.deliver_state(from, Arrival { key, state, happened, link, cost }, sink);
                }
                Some(failure) => {
                    let found = Found { failure: *failure, at: link.from, link: Some(link), cost };
                    if cost <= from.bound {
                        return Err(found);
                    }
                    sink.defer(Deferred::Failing(found));
                }
            }
        }
        Ok(())
    }

    /// Offers one successor to the sink, or defers it.
    #[inline]
    fn deliver_state(
        &self,
        from: &Origin<'_, O>,
        arrival: Arrival<'_, P::State>,
        sink: &mut impl Sink<P::State, O>,
    ) {
        let Arrival { key, state, happened, link, cost } = arrival;
        let node =
            |state, place| Node { state, place, cursor: O::Cursor::default(), cost, cost_here: 0, id: None };
        let deferred = cost > from.bound;
        if self.options.exact {
            let place = self.policy.after(from.place, &happened);
            let key = key.with(Fingerprint::of(&place));
            offer_or_defer(sink, key, link, deferred, || node(state, place));
        } else {
            let make = || node(state, self.policy.after(from.place, &happened));
            offer_or_defer(sink, key, link, deferred, make);
        }
    }
}

/// The step whose outcomes are delivered.
struct Origin<'a, O: Policy> {
    place: &'a O::SchedulerState,
    /// None for initial states.
    task: Option<TaskId>,
    /// The link that the outcomes share, but for the choice and its cost.
    link: Link,
    /// The cost of an execution up to and including the step, without that of choices in it.
    cost: u32,
    bound: u32,
}

/// A successor state.
struct Arrival<'a, S> {
    key: Fingerprint,
    state: S,
    happened: Happened<'a>,
    link: Link,
    cost: u32,
}

#[inline]
fn offer_or_defer<S, O: Policy>(
    sink: &mut impl Sink<S, O>,
    key: Fingerprint,
    link: Link,
    defer: bool,
    make: impl FnOnce() -> Node<S, O>,
) {
    if defer {
        sink.defer(Deferred::Unvisited(Unvisited { key, node: make(), link }));
    } else {
        sink.offer(key, link, make);
    }
}
