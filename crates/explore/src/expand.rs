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
//! 3. Chains of such steps become one step ([`fuse`]).
//! 4. Options of a nondeterministic choice can cost extra ([`Options::choice_cost`]), and so can
//!    steps ([`Policy::step_cost`]). A successor that belongs to a later pass is deferred, and not
//!    marked as visited.

mod commuting;
mod deliver;
mod fuse;
mod passages;

use dally_schedule::{Ready, TaskId};

use crate::frontier::Deferred;
use crate::ledger::Transition;
use crate::order::{Order, Pass};
use crate::policy::{Omission, Point, Policy, Proposal};
use crate::reduce::{Effort, Reduction};
use crate::search::{Options, Watch};
use crate::successors::{Successors, Suspended};
use crate::tree::{Branch, Link, NodeId, Spent};
use crate::visited::{Mark, Rank, Recent};
use crate::{Failure, Fingerprint, Footprints, Program};
use commuting::Steps;
use deliver::{Origin, Taking};
use fuse::Fusing;

pub(crate) use fuse::Finder;
pub(crate) use passages::{Passage, Passages};

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
    /// The outcomes of the remaining options of a choice, from `next` on.
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
    /// The end of a chain through a state that was visited at this cost, or at a lower one, before the current portion.
    fn end_of_chain(&self, state: Fingerprint, cost: u32) -> Option<Fingerprint>;
    /// Takes the passages of chains whose ends were offered, for later portions.
    fn pass(&mut self, passages: &mut Vec<(Fingerprint, Passage)>);
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
    /// States at which commuting steps were looked for: nodes with several enabled tasks, and outcomes to fuse.
    pub(crate) examined: u64,
    /// Steps without a node of their own.
    pub(crate) fused: u64,
    /// The fused steps that were taken although other tasks were enabled.
    pub(crate) fused_ahead: u64,
}

impl Tally {
    /// Counts an execution of a step with this many outcomes, in `ended` of which it has ended.
    #[inline]
    fn count(&mut self, ended: u64, outcomes: usize) {
        self.transitions += ended;
        self.work += 1 + outcomes as u64;
    }

    /// Counts fused steps, of which some were taken although other tasks were enabled.
    #[inline]
    fn fuse(&mut self, steps: u64, alone: u64) {
        self.transitions += steps;
        self.work += 2 * steps;
        self.fused += steps;
        self.fused_ahead += alone;
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
        self.examined += other.examined;
        self.fused += other.fused;
        self.fused_ahead += other.fused_ahead;
    }
}

/// Buffers and counters of one thread.
pub(crate) struct Scratch<S, O: Policy> {
    enabled: Vec<TaskId>,
    taken: Vec<TaskId>,
    successors: Successors<S>,
    footprints: Footprints,
    fusing: Fusing<S, O>,
    pub(crate) tally: Tally,
}

impl<S, O: Policy> Scratch<S, O> {
    pub(crate) fn new(options: &Options) -> Self {
        // In exact mode a key includes the policy's state, which a fingerprint alone does not show. If
        // executions are cut off, the depth matters, which it does not show either.
        let recent = (!options.exact && options.steps.is_none()).then(Recent::default);
        let successors = Successors { recent, inline: options.inline(), ..Successors::default() };
        Self {
            enabled: Vec::new(),
            taken: Vec::new(),
            successors,
            footprints: Footprints::default(),
            fusing: Fusing::new(options),
            tally: Tally::default(),
        }
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
    /// How closely it looks for commuting steps.
    pub(crate) effort: Effort,
}

impl<P: Program, O: Policy, W: Watch<P::State>> Expander<'_, P, O, W> {
    /// Offers the initial states.
    pub(crate) fn begin(
        &self,
        scratch: &mut Scratch<P::State, O>,
        sink: &mut impl Sink<P::State, O>,
    ) -> Result<(), Found> {
        scratch.successors.clear();
        self.program.initial(&mut scratch.successors);
        let place = self.policy.start();
        let link =
            Link { from: None, task: TaskId(0), branch: Branch::step(0), spent: Spent::default(), fused: 0 };
        // Initial states are nodes of cost 0 whatever the policy charges for steps.
        let pass = Pass::default();
        let from = Origin { step: None, place: &place, link, cost: 0, choices: 0, depth: 0, chain: 0, pass };
        self.deliver(&from, &mut scratch.successors, (0, &mut []), sink)
    }

    /// Takes the steps of a node that belong to the pass, and defers the others.
    pub(crate) fn expand(
        &self,
        node: Node<P::State, O>,
        pass: Pass,
        scratch: &mut Scratch<P::State, O>,
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
            // The state before it may be in the middle of a chain.
            tally.depth = tally.depth.max(node.depth.saturating_sub(1));
            if self.effort.reduces {
                sink.mark(self.program.fingerprint(&node.state), Mark::Grounded);
            }
            return self.check_final(&node);
        }
        tally.depth = tally.depth.max(node.depth);
        if let Some(pending) = node.pending {
            sink.begin(node.id, enabled);
            let node = Node { pending: None, ..node };
            return self.expand_pending(node, *pending, pass, scratch, sink);
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
        scratch: &mut Scratch<P::State, O>,
        sink: &mut impl Sink<P::State, O>,
    ) -> Result<(), Found> {
        let Scratch { enabled, taken, successors, footprints, fusing, tally } = scratch;
        taken.clear();
        let key = self.program.fingerprint(&node.state);
        let point = Point { ready: Ready::at(enabled, key.low()), exact: self.options.exact };
        sink.begin(node.id, enabled);
        // A step that changes nothing leads to a visited state.
        if !self.effort.fuses
            && let Some(recent) = &mut successors.recent
        {
            recent.add(key);
        }
        let is_ahead = self.policy.allows_steps_ahead(&node.place);
        let reduction = match self.effort.reduces && enabled.len() > 1 && self.effort.examines(key) {
            true => match Reduction::at(node.chain, node.depth, self.options) {
                // All tasks were tried before the first proposal was delayed.
                Reduction::On if is_ahead && node.cost_here > 0 => Reduction::Off,
                reduction => reduction,
            },
            false => Reduction::Off,
        };
        tally.examined += u64::from(reduction != Reduction::Off);
        let mut steps = Steps { taken, successors, footprints, fusing, tally, pass, reduction };
        let mut first = None;
        if reduction == Reduction::On && is_ahead && node.cost_here == 0 && node.cost <= pass.cost {
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
                if self.effort.reduces {
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
            Omission::Nothing if self.effort.reduces => sink.mark(key, Mark::Grounded),
            Omission::Nothing => {}
            Omission::Sealed => steps.tally.sealed += 1,
            Omission::Unproposed => steps.tally.unproposed += 1,
        }
        Ok(())
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
        Pending { task, rest }: Pending,
        pass: Pass,
        scratch: &mut Scratch<P::State, O>,
        sink: &mut impl Sink<P::State, O>,
    ) -> Result<(), Found> {
        let Scratch { successors, fusing, tally, .. } = scratch;
        let Rest::Options { mut at, mut next, mut taken } = rest else {
            successors.clear();
            self.program.step(&node.state, task, successors);
            tally.count(successors.ended().saturating_sub(1), successors.len());
            let mut from = self.origin(&node, task, None, pass);
            from.link.spent = Spent::new(from.link.spent.deviations(), self.options.choice_cost);
            if self.fuses(fusing) {
                self.fuse(&from, successors, 1, fusing, tally, sink);
            }
            return self.deliver_fused(&from, successors, 1, fusing, sink);
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
            let from = self.origin(&node, task, Some(next), pass);
            if self.fuses(fusing) {
                self.fuse(&from, successors, 0, fusing, tally, sink);
            }
            self.deliver_fused(&from, successors, 0, fusing, sink)?;
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
            link: Link { from: node.id, task, branch, spent, fused: 0 },
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
}

/// Returns true if the sink records transitions.
fn is_recorded<S, O: Policy, K: Sink<S, O>>(_: &K) -> bool {
    K::RECORDS
}
