//! The heart of every search: the expansion of one node.
//!
//! [TR15 Fig. 1], the body of `BoundedDFS`: at a state, the policy proposes tasks one after another,
//! each at a higher cost; the outcomes of each step are offered to the search; once a proposal costs
//! more than the bound, the node is put off with all that is left of it.
//!
//! Deviations (slips of the figure, repaired):
//! 1. A successor that was visited before does not end the loop: the next delay is tried all the same.
//! 2. Outcomes beyond the first may cost extra, and steps may cost ([`Policy::step_cost`]); an outcome
//!    that costs too much is put off without being marked as visited.

use dally_schedule::{Ready, TaskId};

use crate::frontier::PutOff;
use crate::ledger::Taken;
use crate::policy::{Happened, Omission, Point, Policy, Proposal};
use crate::search::{Options, Watch};
use crate::successors::{Outcome, Successors};
use crate::trails::{Hop, Trail};
use crate::visited::Recent;
use crate::{Failure, Fingerprint, Program};

/// A state to be expanded, with what the policy remembers there.
pub(crate) struct Node<S, O: Policy> {
    pub(crate) state: S,
    pub(crate) place: O::Place,
    pub(crate) cursor: O::Cursor,
    /// What it costs to take the proposal that is due.
    pub(crate) cost: u32,
    /// Of this, what was spent at this very state.
    pub(crate) here: u32,
    /// Set once the node is accepted.
    pub(crate) trail: Option<Trail>,
}

/// Where expansion delivers.
pub(crate) trait Sink<S, O: Policy> {
    /// Whether it wants to know of transitions.
    const KEEPS: bool;
    /// Who can move at a node, if it is known from an earlier bound.
    fn enabled(&self, node: Trail) -> Option<&[TaskId]>;
    /// What follows are transitions from this node, at which these tasks can move.
    fn begin(&mut self, node: Option<Trail>, enabled: &[TaskId]);
    /// A transition within the bound. Where it leads is offered as well, if it was not lately.
    fn transition(&mut self, key: Fingerprint, taken: &Taken<'_>);
    /// A node was reached; if its key is new, it is made and accepted.
    fn offer(&mut self, key: Fingerprint, hop: Hop, make: impl FnOnce() -> Node<S, O>);
    /// A node costs too much for now.
    fn put_off(&mut self, rest: PutOff<S, O>);
}

/// A failure, and how it was reached: a node, and a step from there unless it fails by standing still.
pub(crate) struct Found {
    pub(crate) failure: Failure,
    pub(crate) at: Option<Trail>,
    pub(crate) hop: Option<Hop>,
    pub(crate) cost: u32,
}

/// What expansion counts.
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

/// Buffers and counts of one thread.
pub(crate) struct Scratch<S> {
    enabled: Vec<TaskId>,
    successors: Successors<S>,
    pub(crate) tally: Tally,
}

impl<S> Scratch<S> {
    pub(crate) fn new(options: &Options) -> Self {
        // In exact mode, a state that was seen is of interest if the policy is in another place.
        let recent = (!options.exact).then(Recent::default);
        let successors = Successors { recent, ..Successors::default() };
        Self { enabled: Vec::new(), successors, tally: Tally::default() }
    }
}

/// All that expansion depends on.
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
        let hop = Hop { from: None, task: TaskId(0), choice: 0, cost: 0 };
        let from = Origin { place: &place, task: None, hop, cost: 0, bound: u32::MAX };
        self.deliver(&from, &mut scratch.successors, sink)
    }

    /// Expands a node as far as the bound allows.
    pub(crate) fn expand(
        &self,
        mut node: Node<P::State, O>,
        bound: u32,
        scratch: &mut Scratch<P::State>,
        sink: &mut impl Sink<P::State, O>,
    ) -> Result<(), Found> {
        let Scratch { enabled, successors, tally } = scratch;
        enabled.clear();
        match node.trail.and_then(|node| sink.enabled(node)) {
            Some(known) => enabled.extend_from_slice(known),
            None => self.program.enabled(&node.state, enabled),
        }
        if enabled.is_empty() {
            tally.finals += 1;
            return self.stand_still(&node);
        }
        let key = self.program.fingerprint(&node.state);
        let point = Point { ready: Ready::at(enabled, key.low()), exact: self.options.exact };
        sink.begin(node.trail, enabled);
        // A step that changes nothing leads to a state that was visited.
        if let Some(recent) = &mut successors.recent {
            recent.add(key);
        }
        loop {
            if node.cost > bound {
                sink.put_off(PutOff::Rest(node));
                return Ok(());
            }
            if let Proposal::Run(task) = self.policy.propose(&mut node.place, &mut node.cursor, &point) {
                successors.clear();
                self.program.step(&node.state, task, successors);
                tally.transitions += successors.len() as u64;
                let hop = Hop { from: node.trail, task, choice: 0, cost: node.here };
                let cost = node.cost + self.policy.step_cost();
                let from = Origin { place: &node.place, task: Some(task), hop, cost, bound };
                self.deliver(&from, successors, sink)?;
            }
            match self.policy.advance(&mut node.place, &mut node.cursor, &point) {
                Some(more) => (node.cost, node.here) = (node.cost + more, node.here + more),
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

    /// The bytes that a node holds beyond itself.
    pub(crate) fn heap_bytes(&self, node: &Node<P::State, O>) -> usize {
        self.program.heap_bytes(&node.state) + self.policy.heap_bytes(&node.place)
    }

    /// Nobody can move.
    fn stand_still(&self, node: &Node<P::State, O>) -> Result<(), Found> {
        match self.program.deadlock(&node.state) {
            Some(failure) => Err(Found { failure, at: node.trail, hop: None, cost: node.cost }),
            None => {
                self.watch.final_state(&node.state);
                Ok(())
            }
        }
    }

    /// Delivers the outcomes of a step.
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
            let hop = Hop { choice, cost: from.hop.cost + extra + self.policy.step_cost(), ..from.hop };
            let cost = from.cost + extra;
            let Outcome { has_state, fingerprint, events_end, turn, hot, cold, failure } = outcome;
            let state = if has_state { states.next() } else { None };
            let events = &events[std::mem::replace(&mut start, events_end as usize)..events_end as usize];
            match failure {
                None => {
                    let known = fingerprint.or_else(|| state.as_ref().map(|s| self.program.fingerprint(s)));
                    let Some(key) = known else { continue };
                    if K::KEEPS
                        && let Some(task) = from.task
                        && cost <= from.bound
                    {
                        sink.transition(key, &Taken { task, choice, hot, cold, events });
                    }
                    let Some(state) = state else { continue };
                    let happened = Happened { task: from.task, events, turn };
                    match recent {
                        Some(recent) if recent.contains(key) => {}
                        Some(recent) => {
                            if cost <= from.bound {
                                recent.add(key);
                            }
                            self.send(from, key, state, &happened, hop, cost, sink);
                        }
                        None => self.send(from, key, state, &happened, hop, cost, sink),
                    }
                }
                Some(failure) => {
                    let found = Found { failure: *failure, at: hop.from, hop: Some(hop), cost };
                    if cost <= from.bound {
                        return Err(found);
                    }
                    sink.put_off(PutOff::Failing(found));
                }
            }
        }
        Ok(())
    }

    /// Offers one outcome, or puts it off.
    #[inline]
    #[expect(clippy::too_many_arguments, reason = "all that is known about one outcome")]
    fn send(
        &self,
        from: &Origin<'_, O>,
        key: Fingerprint,
        state: P::State,
        happened: &Happened<'_>,
        hop: Hop,
        cost: u32,
        sink: &mut impl Sink<P::State, O>,
    ) {
        let too_much = cost > from.bound;
        let node =
            |state, place| Node { state, place, cursor: O::Cursor::default(), cost, here: 0, trail: None };
        if self.options.exact {
            let place = self.policy.after(from.place, happened);
            let key = key.with(Fingerprint::of(&place));
            pass_on(sink, key, hop, too_much, || node(state, place));
        } else {
            pass_on(sink, key, hop, too_much, || node(state, self.policy.after(from.place, happened)));
        }
    }
}

/// Where outcomes come from.
struct Origin<'a, O: Policy> {
    place: &'a O::Place,
    task: Option<TaskId>,
    /// The step, as far as the outcomes share it.
    hop: Hop,
    /// What the step costs, all told.
    cost: u32,
    bound: u32,
}

#[inline]
fn pass_on<S, O: Policy>(
    sink: &mut impl Sink<S, O>,
    key: Fingerprint,
    hop: Hop,
    too_much: bool,
    make: impl FnOnce() -> Node<S, O>,
) {
    if too_much {
        sink.put_off(PutOff::Whole(key, make(), hop));
    } else {
        sink.offer(key, hop, make);
    }
}
