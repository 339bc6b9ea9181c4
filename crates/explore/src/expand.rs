//! The expansion of one node, shared by all searches.
//!
//! [TR15 Fig. 1], the body of `BoundedDFS`: at a state, the policy proposes tasks one after
//! another, at rising cost. Expansion takes a step of each task and offers the outcomes to the
//! search. When a proposal costs more than the current pass, the node is deferred together with its
//! remaining proposals.
//!
//! A step that is suspended at a nondeterministic choice becomes a node of its own, which keeps the
//! state and the place at which the step began. Its options are taken one after another; if they
//! cost more than the pass, the node is deferred together with its remaining options. So a choice
//! among many values takes the memory of one node, and outcomes never multiply. Such a node is not a
//! scheduling point: no other task is proposed there.
//!
//! Deviations:
//! 1. A successor that was visited before does not end the loop: expansion goes on to the next
//!    delay. (The figure stops there, which misses states.)
//! 2. If the step of a proposed task commutes with those of all others, the other tasks are not
//!    proposed ([`crate::reduce`]).
//! 3. Options of a nondeterministic choice can cost extra ([`Options::choice_cost`]), and so can
//!    steps ([`Policy::step_cost`]). A successor that belongs to a later pass is deferred, and not
//!    marked as visited.

use dally_schedule::{Ready, TaskId};

use crate::frontier::{Deferred, Unvisited};
use crate::ledger::Transition;
use crate::order::{Order, Pass};
use crate::policy::{Happened, Omission, Point, Policy, Proposal};
use crate::reduce::{self, Reduction};
use crate::search::{Options, Watch};
use crate::successors::{Outcome, Successors, Suspended};
use crate::tree::{Branch, Link, NodeId, Spent};
use crate::visited::{Mark, Rank, Recent};
use crate::{Failure, FailureKind, Fingerprint, Footprints, Program};

/// A state to be expanded, with the policy's state.
pub(crate) struct Node<S, O: Policy> {
    pub(crate) state: S,
    pub(crate) place: O::SchedulerState,
    pub(crate) cursor: O::Cursor,
    /// The cost of an execution that takes the next proposal here.
    pub(crate) cost: u32,
    /// The part of `cost` that was spent at this state.
    pub(crate) cost_here: u32,
    /// The part of `cost` that was spent on nondeterministic choices.
    pub(crate) choices: u32,
    /// The number of steps from an initial state.
    pub(crate) depth: u32,
    /// The number of commuting steps at the end of the execution.
    pub(crate) chain: u32,
    /// Set once the node is in the visited set.
    pub(crate) id: Option<NodeId>,
    /// If set, a step of this state has begun, and only it may continue.
    pub(crate) pending: Option<Box<Pending>>,
}

/// A step that has begun.
pub(crate) struct Pending {
    task: TaskId,
    rest: Rest,
}

/// The outcomes of a step that are left.
enum Rest {
    /// All but the first, which cost extra. The program does not suspend steps.
    Outcomes,
    /// Those of the remaining options of a choice, from `next` on.
    Options {
        at: Suspended,
        next: u32,
        /// True if an earlier option has an outcome. Only the first one that has is free.
        taken: bool,
    },
}

impl<S, O: Policy> Node<S, O> {
    /// The rank of a visit of this node.
    pub(crate) fn rank(&self) -> Rank {
        Rank { cost: self.cost, depth: self.depth }
    }

    /// The depth by which the node is assigned to a pass. A step can make infinitely many choices, so they
    /// count as well.
    fn length(&self) -> u32 {
        let choices = match self.pending.as_deref() {
            Some(Pending { rest: Rest::Options { at, .. }, .. }) => at.path.len() as u32,
            _ => 0,
        };
        self.depth.saturating_add(choices)
    }

    /// The cost that was not spent on choices.
    fn deviations(&self) -> u32 {
        self.cost - self.choices
    }

    /// The heap bytes of a step that has begun.
    fn pending_bytes(&self) -> usize {
        self.pending.as_deref().map_or(0, |pending| {
            let path = match &pending.rest {
                Rest::Options { at, .. } if at.path.spilled() => at.path.capacity() * size_of::<u32>(),
                _ => 0,
            };
            size_of::<Pending>() + path
        })
    }
}

/// Receives what expansion finds.
pub(crate) trait Sink<S, O: Policy> {
    /// True if [`Self::transition`] is to be called.
    const RECORDS: bool;
    /// The tasks that are enabled at a node, if an earlier pass recorded them.
    fn enabled(&self, node: NodeId) -> Option<&[TaskId]>;
    /// The transitions from now on start at `node`, where the tasks `enabled` are enabled.
    fn begin(&mut self, node: Option<NodeId>, enabled: &[TaskId]);
    /// A transition within the pass. Its target is offered as well, unless that happened recently.
    fn transition(&mut self, key: Fingerprint, transition: &Transition<'_>);
    /// A node was reached within the pass. If its key is new, or was visited at a higher rank, `make` builds
    /// the node.
    fn offer(&mut self, key: Fingerprint, link: Link, rank: Rank, make: impl FnOnce() -> Node<S, O>);
    /// The mark of a state, as of the beginning of the current portion of the layer.
    fn mark_of(&self, key: Fingerprint) -> Mark;
    /// Marks the state that is expanded, after the portion.
    fn mark(&mut self, key: Fingerprint, mark: Mark);
    /// Work for a later pass.
    fn defer(&mut self, deferred: Deferred<S, O>, pass: Pass);
    /// A step within the pass cannot be executed.
    fn abandon(&mut self, failure: Failure);
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
    /// Executions of steps, and their outcomes, suspended ones included.
    pub(crate) work: u64,
    pub(crate) sealed: u64,
    pub(crate) unproposed: u64,
    pub(crate) finals: u64,
    /// Nodes whose remaining proposals exceed the limit on deviations.
    pub(crate) beyond: u64,
    /// Nodes at the limit on the length of executions.
    pub(crate) cut: u64,
    /// Nodes that the program excludes from the search.
    pub(crate) excluded: u64,
    /// The greatest depth of an expanded node.
    pub(crate) depth: u32,
    /// Choices whose options cost extra.
    pub(crate) charged: u64,
    /// Nodes at which the step of one task sufficed, of several that are enabled.
    pub(crate) reduced: u64,
}

impl Tally {
    /// Counts an execution of a step with this many outcomes, in `ended` of which it has ended.
    #[inline]
    fn count(&mut self, ended: u64, outcomes: usize) {
        self.transitions += ended;
        self.work += 1 + outcomes as u64;
    }

    pub(crate) fn add(&mut self, other: &Self) {
        self.transitions += other.transitions;
        self.work += other.work;
        self.sealed += other.sealed;
        self.unproposed += other.unproposed;
        self.finals += other.finals;
        self.beyond += other.beyond;
        self.cut += other.cut;
        self.excluded += other.excluded;
        self.depth = self.depth.max(other.depth);
        self.charged += other.charged;
        self.reduced += other.reduced;
    }
}

/// Buffers and counters of one thread.
pub(crate) struct Scratch<S> {
    enabled: Vec<TaskId>,
    taken: Vec<TaskId>,
    successors: Successors<S>,
    footprints: Footprints,
    pub(crate) tally: Tally,
}

impl<S> Scratch<S> {
    pub(crate) fn new(options: &Options) -> Self {
        // In exact mode a key includes the policy's state, which a fingerprint alone does not show. If
        // executions are cut off, the depth matters, which it does not show either.
        let recent = (!options.exact && options.steps.is_none()).then(Recent::default);
        let successors = Successors { recent, inline: options.inline(), ..Successors::default() };
        let footprints = Footprints::default();
        Self { enabled: Vec::new(), taken: Vec::new(), successors, footprints, tally: Tally::default() }
    }

    /// Forgets which states were delivered: a pass of lower cost may have to deliver them again.
    pub(crate) fn forget_recent(&mut self) {
        if let Some(recent) = &mut self.successors.recent {
            recent.clear();
        }
    }
}

/// Everything that expansion depends on.
pub(crate) struct Expander<'a, P, O, W> {
    pub(crate) program: &'a P,
    pub(crate) policy: &'a O,
    pub(crate) watch: &'a W,
    pub(crate) options: &'a Options,
    pub(crate) order: Order,
    /// True if a commuting step can [suffice](crate::reduce) at a node.
    pub(crate) reduces: bool,
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
        let link = Link { from: None, task: TaskId(0), branch: Branch::step(0), spent: Spent::default() };
        // Initial states are nodes of cost 0 whatever the policy charges for steps.
        let pass = Pass::default();
        let from = Origin { step: None, place: &place, link, cost: 0, choices: 0, depth: 0, chain: 0, pass };
        self.deliver(&from, &mut scratch.successors, 0, sink)
    }

    /// Takes the steps of a node that belong to the pass, and defers the others.
    pub(crate) fn expand(
        &self,
        node: Node<P::State, O>,
        pass: Pass,
        scratch: &mut Scratch<P::State>,
        sink: &mut impl Sink<P::State, O>,
    ) -> Result<(), Found> {
        if is_recorded(sink) {
            let when = self.order.pass(pass, node.cost, node.length());
            if !when.is_within(pass) {
                sink.defer(Deferred::Partial(node), when);
                return Ok(());
            }
        }
        let Scratch { enabled, tally, .. } = scratch;
        // A step begins only in a state that is not excluded.
        if node.pending.is_none() && self.program.is_excluded(&node.state) {
            tally.excluded += 1;
            return Ok(());
        }
        enabled.clear();
        match node.id.and_then(|node| sink.enabled(node)) {
            Some(known) => enabled.extend_from_slice(known),
            None => self.program.enabled(&node.state, enabled),
        }
        if enabled.is_empty() {
            tally.finals += 1;
            if self.reduces {
                sink.mark(self.program.fingerprint(&node.state), Mark::Grounded);
            }
            return self.check_final(&node);
        }
        tally.depth = tally.depth.max(node.depth);
        if node.pending.is_some() {
            sink.begin(node.id, enabled);
            return self.expand_pending(node, pass, scratch, sink);
        }
        if self.options.steps.is_some_and(|steps| node.depth >= steps) {
            tally.cut += 1;
            return Ok(());
        }
        self.expand_tasks(node, pass, scratch, sink)
    }

    /// Takes the steps of the enabled tasks of a node, as far as they belong to the pass.
    fn expand_tasks(
        &self,
        mut node: Node<P::State, O>,
        pass: Pass,
        scratch: &mut Scratch<P::State>,
        sink: &mut impl Sink<P::State, O>,
    ) -> Result<(), Found> {
        let Scratch { enabled, taken, successors, footprints, tally } = scratch;
        taken.clear();
        let key = self.program.fingerprint(&node.state);
        let point = Point { ready: Ready::at(enabled, key.low()), exact: self.options.exact };
        sink.begin(node.id, enabled);
        // A step that changes nothing leads to a visited state.
        if let Some(recent) = &mut successors.recent {
            recent.add(key);
        }
        let reduction = match self.reduces && enabled.len() > 1 {
            true => Reduction::at(node.chain, node.depth, self.options),
            false => Reduction::Off,
        };
        let mut steps = Steps { taken, successors, footprints, tally, pass, reduction };
        let mut first = None;
        if reduction == Reduction::On
            && node.cost_here == 0
            && node.cost <= pass.cost
            && self.policy.allows_steps_ahead(&node.place)
        {
            let proposal = self.policy.propose(&mut node.place, &mut node.cursor, &point);
            if let Some(mark) = self.take_commuting(&node, proposal, enabled, &mut steps, sink)? {
                sink.mark(key, mark);
                return Ok(());
            }
            first = Some(proposal);
        }
        loop {
            if node.cost > pass.cost {
                let later = self.order.pass(pass, node.cost, node.length());
                sink.defer(Deferred::Partial(node), later);
                if self.reduces {
                    sink.mark(key, Mark::Open);
                }
                return Ok(());
            }
            let proposal = match first.take() {
                Some(proposal) => proposal,
                None => self.policy.propose(&mut node.place, &mut node.cursor, &point),
            };
            if let Proposal::Run(task) = proposal
                && (steps.taken.is_empty() || !steps.taken.contains(&task))
            {
                let commutes = self.commutes(&node, task, &mut steps);
                if let Some(mark) = self.take(&node, task, commutes, &mut steps, sink)? {
                    sink.mark(key, mark);
                    return Ok(());
                }
            }
            match self.policy.advance(&mut node.place, &mut node.cursor, &point) {
                Some(more) => (node.cost, node.cost_here) = (node.cost + more, node.cost_here + more),
                None => break,
            }
            if self.options.delays.is_some_and(|most| node.deviations() > most) {
                steps.tally.beyond += 1;
                return Ok(());
            }
        }
        match self.policy.omission(&node.place, &node.cursor, &point) {
            Omission::Nothing if self.reduces => sink.mark(key, Mark::Grounded),
            Omission::Nothing => {}
            Omission::Sealed => steps.tally.sealed += 1,
            Omission::Unproposed => steps.tally.unproposed += 1,
        }
        Ok(())
    }

    /// Takes the steps that commute: that of the proposed task first, then those of others, ahead of their turns.
    /// Returns the mark of the node if it needs no other.
    #[inline(never)]
    fn take_commuting(
        &self,
        node: &Node<P::State, O>,
        proposal: Proposal,
        enabled: &[TaskId],
        steps: &mut Steps<'_, P::State>,
        sink: &mut impl Sink<P::State, O>,
    ) -> Result<Option<Mark>, Found> {
        let proposed = match proposal {
            Proposal::Run(task) => Some(task),
            Proposal::Pass | Proposal::End => None,
        };
        let others = enabled.iter().copied().filter(|task| Some(*task) != proposed);
        for task in proposed.into_iter().chain(others) {
            if self.commutes(node, task, steps) {
                if let Some(mark) = self.take(node, task, true, steps, sink)? {
                    return Ok(Some(mark));
                }
                steps.taken.push(task);
            }
        }
        // None of the others commutes.
        steps.reduction = Reduction::Off;
        Ok(None)
    }

    #[inline]
    fn commutes(&self, node: &Node<P::State, O>, task: TaskId, steps: &mut Steps<'_, P::State>) -> bool {
        steps.reduction != Reduction::Off && self.program.commutes(&node.state, task, steps.footprints)
    }

    /// Takes a step of a task. Returns the mark of the node if it needs no other.
    #[inline]
    fn take(
        &self,
        node: &Node<P::State, O>,
        task: TaskId,
        commutes: bool,
        steps: &mut Steps<'_, P::State>,
        sink: &mut impl Sink<P::State, O>,
    ) -> Result<Option<Mark>, Found> {
        steps.successors.clear();
        self.program.step(&node.state, task, steps.successors);
        let Steps { successors, tally, pass, reduction, .. } = steps;
        tally.charged += u64::from(self.defer_costly(node, task, *pass, successors, sink));
        tally.count(successors.ended(), successors.len());
        let mark = match commutes && *reduction == Reduction::On {
            true => reduce::suffices(self.program, self.options, successors, |key| sink.mark_of(key)),
            false => None,
        };
        let mut from = self.origin(node, task, None, *pass);
        from.chain = if commutes { node.chain.saturating_add(1) } else { 0 };
        self.deliver(&from, successors, 0, sink)?;
        tally.reduced += u64::from(mark.is_some());
        Ok(mark)
    }

    /// Outcomes of a step that is never suspended are the options of one choice. Defers those that cost
    /// extra, all together. Returns true if there are any.
    #[inline]
    fn defer_costly(
        &self,
        node: &Node<P::State, O>,
        task: TaskId,
        pass: Pass,
        successors: &mut Successors<P::State>,
        sink: &mut impl Sink<P::State, O>,
    ) -> bool {
        let extra = self.options.choice_cost;
        if extra == 0 || successors.suspends || successors.len() <= self.options.free_options {
            return false;
        }
        successors.outcomes.truncate(1);
        let (cost, choices) = (node.cost + extra, node.choices + extra);
        let pending = Some(Box::new(Pending { task, rest: Rest::Outcomes }));
        let (state, place) = (node.state.clone(), node.place.clone());
        let later = Node { state, place, cursor: O::Cursor::default(), cost, choices, pending, ..*node };
        let when = self.order.pass(pass, cost, later.length());
        sink.defer(Deferred::Partial(later), when);
        true
    }

    /// Continues a step that has begun.
    fn expand_pending(
        &self,
        mut node: Node<P::State, O>,
        pass: Pass,
        scratch: &mut Scratch<P::State>,
        sink: &mut impl Sink<P::State, O>,
    ) -> Result<(), Found> {
        let Scratch { successors, tally, .. } = scratch;
        let Some(pending) = node.pending.take() else { return Ok(()) };
        let Pending { task, rest } = *pending;
        let Rest::Options { mut at, mut next, mut taken } = rest else {
            successors.clear();
            self.program.step(&node.state, task, successors);
            tally.count(successors.ended().saturating_sub(1), successors.len());
            let mut from = self.origin(&node, task, None, pass);
            from.link.spent = Spent::new(from.link.spent.deviations(), self.options.choice_cost);
            return self.deliver(&from, successors, 1, sink);
        };
        while next < at.options {
            if node.cost > pass.cost {
                let rest = Rest::Options { at, next, taken };
                node.pending = Some(Box::new(Pending { task, rest }));
                let later = self.order.pass(pass, node.cost, node.length());
                sink.defer(Deferred::Partial(node), later);
                return Ok(());
            }
            at.path.push(next);
            self.program.resume(&node.state, task, &at.path, successors);
            at.path.pop();
            let found = !successors.is_empty();
            tally.count(successors.ended(), successors.len());
            self.deliver(&self.origin(&node, task, Some(next), pass), successors, 0, sink)?;
            next += 1;
            if found && !taken {
                taken = true;
                if at.options as usize > self.options.free_options {
                    let extra = self.options.choice_cost;
                    node.cost += extra;
                    node.cost_here += extra;
                    node.choices += extra;
                    tally.charged += u64::from(extra > 0);
                }
            }
        }
        Ok(())
    }

    /// The step of a node whose outcomes are to be delivered, with the option with which it was resumed.
    #[inline]
    fn origin<'n>(
        &self,
        node: &'n Node<P::State, O>,
        task: TaskId,
        option: Option<u32>,
        pass: Pass,
    ) -> Origin<'n, P::State, O> {
        let more = if option.is_none() { self.policy.step_cost() } else { 0 };
        // Only options are paid for at a suspended step.
        let spent = match option {
            Some(_) => Spent::new(0, node.cost_here),
            None => Spent::new(node.cost_here + more, 0),
        };
        let branch = option.map_or(Branch::step(0), |option| Branch::resumed(option, 0));
        Origin {
            step: Some(Taking { state: &node.state, task, option }),
            place: &node.place,
            link: Link { from: node.id, task, branch, spent },
            cost: node.cost + more,
            choices: node.choices,
            depth: node.depth,
            chain: 0,
            pass,
        }
    }

    /// The heap bytes that a node owns.
    pub(crate) fn heap_bytes(&self, node: &Node<P::State, O>) -> usize {
        self.program.heap_bytes(&node.state) + self.policy.heap_bytes(&node.place) + node.pending_bytes()
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

    /// Delivers the outcomes of a step, from this one on, to the sink.
    #[inline]
    fn deliver<K: Sink<P::State, O>>(
        &self,
        from: &Origin<'_, P::State, O>,
        successors: &mut Successors<P::State>,
        first: u32,
        sink: &mut K,
    ) -> Result<(), Found> {
        let Successors { outcomes, states, events, recent, .. } = successors;
        let mut states = states.drain(..);
        let mut start = 0;
        // The outcomes stay until the next step clears them: to drain them takes more instructions.
        for (nth, outcome) in (0..).zip(outcomes.iter_mut()) {
            let Outcome { has_state, fingerprint, events_end, turn, hot, cold, .. } = *outcome;
            let (failure, suspended) = (outcome.failure.take(), outcome.suspended.take());
            let state = if has_state { states.next() } else { None };
            let events = &events[std::mem::replace(&mut start, events_end as usize)..events_end as usize];
            if nth < first {
                continue;
            }
            let link = from.link_to(nth);
            if let Some(suspended) = suspended {
                self.deliver_suspended(from, fingerprint, *suspended, link, sink);
                continue;
            }
            let depth = from.depth + u32::from(from.step.is_some());
            // A recorded step needs its target, whose expansion is deferred instead.
            let when = if K::RECORDS { from.pass } else { self.order.pass(from.pass, from.cost, depth) };
            match failure {
                None => {
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
                        if when.is_within(from.pass) {
                            recent.add(key);
                        }
                    }
                    let task = from.step.as_ref().map(|step| step.task);
                    let happened = Happened { task, events, turn };
                    self.deliver_state(from, Arrival { key, state, happened, link, depth, when }, sink);
                }
                Some(failure) => {
                    let found = Found { failure: *failure, at: link.from, link: Some(link), cost: from.cost };
                    match found.failure.kind {
                        _ if from.cost > from.pass.cost => sink.defer(Deferred::Failing(found), when),
                        FailureKind::Unsupported => sink.abandon(found.failure),
                        _ => return Err(found),
                    }
                }
            }
        }
        Ok(())
    }

    /// Offers one successor to the sink, or defers it.
    #[inline]
    fn deliver_state(
        &self,
        from: &Origin<'_, P::State, O>,
        arrival: Arrival<'_, P::State>,
        sink: &mut impl Sink<P::State, O>,
    ) {
        let Arrival { key, state, happened, link, depth, when } = arrival;
        let node = |state, place| Node {
            state,
            place,
            cursor: O::Cursor::default(),
            cost: from.cost,
            cost_here: 0,
            choices: from.choices,
            depth,
            chain: from.chain,
            id: None,
            pending: None,
        };
        let now = when.is_within(from.pass);
        let rank = Rank { cost: from.cost, depth };
        if self.options.exact {
            let place = self.policy.after(from.place, &happened);
            let key = key.with(Fingerprint::of(&place));
            offer_or_defer(sink, (key, link), (!now).then_some(when), rank, || node(state, place));
        } else {
            let make = || node(state, self.policy.after(from.place, &happened));
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

/// The steps of a node that are being taken.
struct Steps<'s, S> {
    /// The tasks that have taken their steps out of order.
    taken: &'s mut Vec<TaskId>,
    successors: &'s mut Successors<S>,
    footprints: &'s mut Footprints,
    tally: &'s mut Tally,
    pass: Pass,
    reduction: Reduction,
}

/// Returns true if the sink records transitions.
fn is_recorded<S, O: Policy, K: Sink<S, O>>(_: &K) -> bool {
    K::RECORDS
}

/// The step whose outcomes are delivered.
struct Taking<'a, S> {
    state: &'a S,
    task: TaskId,
    /// The option with which it was resumed.
    option: Option<u32>,
}

/// Where outcomes come from.
struct Origin<'a, S, O: Policy> {
    /// None for initial states.
    step: Option<Taking<'a, S>>,
    place: &'a O::SchedulerState,
    /// The link that the outcomes share, but for their number.
    link: Link,
    /// The cost of an execution up to and including the step.
    cost: u32,
    /// The part of it that was spent on choices.
    choices: u32,
    /// The number of steps before it.
    depth: u32,
    /// The number of commuting steps at its end.
    chain: u32,
    pass: Pass,
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
}

/// A successor state.
struct Arrival<'a, S> {
    key: Fingerprint,
    state: S,
    happened: Happened<'a>,
    link: Link,
    depth: u32,
    /// The pass in which it is to be expanded.
    when: Pass,
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
