//! The search: bound by bound, layer by layer.
//!
//! Iterative safety search [TR15 §4.1, Fig. 1]: all that costs 0 is explored first, then what costs 1,
//! and so on; what costs too much waits in the frontier. A bound that leaves the frontier empty has
//! covered every schedule.
//!
//! In the usual, *cached* mode a state is visited once, whatever the scheduler remembers there: a bound
//! K then means that everything seen was reached with at most K, and only the limit is complete. In
//! *exact* mode a state is visited once for each place of the policy, and a bound K covers exactly the
//! executions that cost at most K. Since costs are gone through in order, the first visit is the one
//! that costs least.
//!
//! Deviations:
//! 1. The first bound is 0, and the step is 1.
//! 2. Within a bound the search goes breadth-first, where the figure recurs. The layers of a
//!    breadth-first search can be shared among threads so that the result is the same for any number of
//!    them ([`crate::wave`]), and counterexamples are short.

use std::collections::VecDeque;
use std::fmt;

use crate::expand::{Expander, Found, Node, Scratch, Sink};
use crate::frontier::{Frontier, PutOff, Waiting};
use crate::layer::{self, Layer};
use crate::ledger::{Ledger, Taken};
use crate::policy::Policy;
use crate::report::{Bug, Coverage, Limit, Report, Verdict};
use crate::team::{Team, together};
use crate::trails::{Hop, Trail, Trails};
use crate::visited::Visited;
use crate::wave::{self, Budget, Workers};
use crate::{FailureKind, Fingerprint, Program, TaskId};

/// How to search.
#[derive(Clone, Debug)]
pub struct Options {
    /// The highest bound to explore; without one, bounds rise until the frontier is empty.
    pub bound: Option<u32>,
    /// Whether what the policy remembers counts as part of a state. With schedulers whose rounds rise
    /// (`df`, `dfw`) or that count steps (`pct`), give a bound: the frontier never empties.
    pub exact: bool,
    /// What each choice other than the first costs.
    pub choice_cost: u32,
    /// How many threads take part, or fewer where there are few cores. The result does not depend on it.
    pub threads: usize,
    /// Layers smaller than this are expanded by one thread, and so are rounds of a search for cycles: to wake others takes
    /// longer.
    pub share_from: usize,
    /// How many states to visit at most.
    pub states: Option<usize>,
    /// How many bytes to hold at most, by the search's own count.
    pub memory: Option<usize>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            bound: None,
            exact: false,
            choice_cost: 0,
            threads: 1,
            share_from: 256,
            states: None,
            memory: None,
        }
    }
}

impl Options {
    /// The options of each of so many searches that share the memory.
    pub fn shared_by(&self, searches: usize) -> Self {
        Self { memory: self.memory.map(|bytes| bytes / searches.max(1)), ..self.clone() }
    }
}

/// Somebody who watches a search, and may end it. All methods have defaults; `()` watches nothing.
pub trait Watch<S>: Sync {
    /// Called every so often; the search ends when a limit is returned. Clocks and signals belong here.
    fn poll(&self, _coverage: &Coverage) -> Option<Limit> {
        None
    }

    /// A search for cycles enters a phase of its work: for those who want to know how long each takes.
    fn phase(&self, _phase: Phase) {}

    /// A state was reached in which nobody can move, and that is no deadlock. It may come up more than
    /// once, and from several threads.
    fn final_state(&self, _state: &S) {}
}

impl<S> Watch<S> for () {}

/// What a search for cycles is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Phase {
    /// Taking steps of the program.
    Explore,
    /// Calculating maximal accepting predecessors.
    Calculate,
    /// Refining them.
    Refine,
    /// Nested depth-first search.
    Nested,
    /// Making the trace.
    Trace,
}

/// How many transitions are taken between two looks at the limits, at least, inside of a layer: those of a node are
/// not split.
pub(crate) const LOOK_EVERY: u64 = 1 << 12;

/// From how many nodes at most it is told what nodes hold.
pub(crate) const SAMPLES: usize = 32;

/// A search in progress.
#[expect(private_bounds, reason = "what a search keeps is chosen here, by its callers not at all")]
pub struct Search<'a, P: Program, O: Policy, W, L: Ledger = ()> {
    pub(crate) expander: Expander<'a, P, O, W>,
    pub(crate) core: Core<P::State, O, L>,
    pub(crate) team: Team,
    scratch: Scratch<P::State>,
    /// Where there are several threads.
    workers: Workers<P::State, O>,
    pub(crate) coverage: Coverage,
    begun: bool,
    /// The bytes that were held after so many transitions.
    held: usize,
    weighed: u64,
}

/// What a search has gathered.
pub(crate) struct Core<S, O: Policy, L: Ledger> {
    pub(crate) ledger: L,
    draft: L::Draft,
    pub(crate) visited: Visited<L::Place>,
    pub(crate) trails: Trails,
    /// Accepted, and to be expanded in the next layer.
    pub(crate) next: Layer<S, O>,
    /// To be explored at a higher bound.
    pub(crate) frontier: Frontier<S, O>,
}

impl<S, O: Policy, L: Ledger> Core<S, O, L> {
    /// Nodes that are new, and know their trails, join the next layer.
    pub(crate) fn accept_all(&mut self, nodes: Vec<Node<S, O>>, hops: Vec<Hop>) {
        debug_assert!(nodes.first().is_none_or(|node| node.trail == Some(Trail::at(self.trails.end()))));
        self.trails.append(hops);
        self.next.append(nodes);
    }

    /// Enters what was kept of transitions since the last time.
    #[inline]
    pub(crate) fn settle(&mut self) {
        if L::KEEPS {
            let draft = std::mem::replace(&mut self.draft, self.ledger.draft());
            self.settle_all(vec![draft], 1);
        }
    }

    /// Likewise, for what threads have kept.
    pub(crate) fn settle_all(&mut self, drafts: Vec<L::Draft>, threads: usize) {
        self.ledger.settle(self.trails.end(), drafts, &self.visited, threads);
    }
}

impl<S, O: Policy, L: Ledger> Sink<S, O> for Core<S, O, L> {
    const KEEPS: bool = L::KEEPS;

    #[inline]
    fn enabled(&self, node: Trail) -> Option<&[TaskId]> {
        self.ledger.enabled(node)
    }

    #[inline]
    fn begin(&mut self, node: Option<Trail>, enabled: &[TaskId]) {
        if let Some(node) = node {
            self.ledger.begin(&mut self.draft, node, enabled);
        }
    }

    #[inline]
    fn transition(&mut self, key: Fingerprint, taken: &Taken<'_>) {
        self.ledger.transition(&mut self.draft, key, taken);
    }

    #[inline]
    fn offer(&mut self, key: Fingerprint, hop: Hop, make: impl FnOnce() -> Node<S, O>) {
        let trails = &self.trails;
        if self.visited.insert_with(key, || L::place(Trail::at(trails.end()))) {
            let mut node = make();
            node.trail = Some(self.trails.push(hop));
            self.next.push(node, 1);
        }
    }

    fn put_off(&mut self, rest: PutOff<S, O>) {
        self.frontier.push(rest, &self.visited);
    }
}

/// Why a search stops.
pub(crate) enum Stop {
    Found(Found),
    Limit(Limit),
}

impl From<Found> for Stop {
    fn from(found: Found) -> Self {
        Self::Found(found)
    }
}

impl<P: Program, O: Policy, W, L: Ledger> fmt::Debug for Search<'_, P, O, W, L> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Search").field("coverage", &self.coverage).finish_non_exhaustive()
    }
}

impl<'a, P: Program, O: Policy, W: Watch<P::State>> Search<'a, P, O, W> {
    /// A search that has not begun.
    pub fn new(program: &'a P, policy: &'a O, options: &'a Options, watch: &'a W) -> Self {
        Self::keeping(program, policy, options, watch)
    }

    /// Searches to the end.
    pub fn run(mut self) -> Report {
        loop {
            if let Some(report) = self.deepen() {
                return report;
            }
        }
    }

    /// What was covered so far.
    pub fn coverage(&self) -> &Coverage {
        &self.coverage
    }

    /// Explores the next bound. The report, if that settles the matter: then the search is over.
    pub fn deepen(&mut self) -> Option<Report> {
        let verdict = match self.explore() {
            Err(stop) => self.stopped(stop),
            Ok(()) => self.verdict_after_bound()?,
        };
        Some(self.report(verdict))
    }
}

#[expect(private_bounds, reason = "as for the search")]
impl<'a, P: Program, O: Policy, W: Watch<P::State>, L: Ledger> Search<'a, P, O, W, L> {
    /// A search that has not begun, and keeps something of its transitions.
    pub(crate) fn keeping(program: &'a P, policy: &'a O, options: &'a Options, watch: &'a W) -> Self {
        Self::by(Team::new(options.threads), Expander { program, policy, watch, options })
    }

    /// The same search from the beginning, by the same threads.
    pub(crate) fn anew(&self) -> Self {
        let Expander { program, policy, watch, options } = self.expander;
        Self::by(self.team.clone(), Expander { program, policy, watch, options })
    }

    fn by(team: Team, expander: Expander<'a, P, O, W>) -> Self {
        let core = Core {
            ledger: L::default(),
            draft: L::Draft::default(),
            visited: Visited::default(),
            trails: Trails::default(),
            next: Layer::default(),
            frontier: Frontier::default(),
        };
        Self {
            scratch: Scratch::new(expander.options),
            expander,
            core,
            team,
            workers: Workers::default(),
            coverage: Coverage::default(),
            begun: false,
            held: 0,
            weighed: 0,
        }
    }

    /// The name of the policy, and what was covered so far.
    pub(crate) fn so_far(&self) -> (String, Coverage) {
        (self.expander.policy.name(), self.coverage.clone())
    }

    /// Explores the next bound.
    pub(crate) fn explore(&mut self) -> Result<(), Stop> {
        let explored = self.team.clone().run(|| self.explore_bound());
        // What has been reached at this bound after all need not wait for the next.
        let Core { frontier, visited, .. } = &mut self.core;
        frontier.forget(visited);
        self.take_stock();
        if explored.is_ok() {
            self.coverage.completed_bound = Some(self.coverage.bound);
        }
        explored
    }

    /// Offers the initial states, and leaves them to be opened one by one.
    pub(crate) fn begin(&mut self) -> Result<(), Stop> {
        self.begun = true;
        self.expander.begin(&mut self.scratch, &mut self.core)?;
        self.core.settle();
        Ok(())
    }

    /// Expands one node, whatever it costs.
    pub(crate) fn open(&mut self, node: Node<P::State, O>) -> Result<(), Stop> {
        self.expander.expand(node, u32::MAX, &mut self.scratch, &mut self.core)?;
        self.core.settle();
        Ok(())
    }

    /// The verdict of a search that was stopped.
    pub(crate) fn stopped(&self, stop: Stop) -> Verdict {
        match stop {
            Stop::Found(found) => self.failed(found),
            Stop::Limit(limit) => Verdict::Inconclusive(limit),
        }
    }

    /// A report with this verdict.
    pub(crate) fn report(&self, verdict: Verdict) -> Report {
        let (policy, coverage) = self.so_far();
        Report { verdict, coverage, policy, others: vec![] }
    }

    /// Whether what was covered is the end of it.
    pub(crate) fn verdict_after_bound(&self) -> Option<Verdict> {
        let Coverage { bound, unproposed, sealed, .. } = self.coverage;
        // A state that was visited once, with a fixed order, may lead elsewhere in another.
        let all = unproposed == 0 && (sealed == 0 || self.expander.options.exact);
        let at_limit = self.expander.options.bound.is_some_and(|limit| bound >= limit);
        match (self.core.frontier.is_empty(), at_limit) {
            (true, _) if all => Some(Verdict::Proved),
            (true, _) => Some(Verdict::NoBug),
            (false, true) if self.expander.options.exact => Some(Verdict::ProvedWithin(bound)),
            (false, true) => Some(Verdict::NoBug),
            (false, false) => None,
        }
    }

    fn failed(&self, found: Found) -> Verdict {
        match found.failure.kind {
            FailureKind::Unsupported => return Verdict::Unsupported(found.failure.message),
            // Whoever cancels a step may know better why.
            FailureKind::Interrupted(Limit::Cancelled) => {
                let limit = self.expander.watch.poll(&self.coverage);
                return Verdict::Inconclusive(limit.unwrap_or(Limit::Cancelled));
            }
            FailureKind::Interrupted(limit) => return Verdict::Inconclusive(limit),
            FailureKind::Assertion | FailureKind::Deadlock | FailureKind::Liveness | FailureKind::Runtime => {
            }
        }
        let schedule = self.core.trails.schedule(self.expander.policy.name(), found.at, found.hop);
        Verdict::Bug(Box::new(Bug { failure: found.failure, schedule, cost: found.cost }))
    }

    fn explore_bound(&mut self) -> Result<(), Stop> {
        if self.begun {
            self.resume()?;
        } else {
            self.begin()?;
        }
        while !self.core.next.is_empty() {
            self.explore_layer()?;
        }
        Ok(())
    }

    /// Takes up what costs least: that is the new bound.
    fn resume(&mut self) -> Result<(), Stop> {
        let cheapest = self.core.frontier.take_cheapest();
        let (bound, waiting) = cheapest.unwrap_or((self.coverage.bound + 1, Waiting::default()));
        self.coverage.bound = bound;
        self.core.next = waiting.rests;
        for (key, node, hop) in waiting.wholes {
            self.core.offer(key, hop, || node);
        }
        self.core.settle();
        waiting.failing.map_or(Ok(()), |found| Err(found.into()))
    }

    fn explore_layer(&mut self) -> Result<(), Stop> {
        let mut layer = VecDeque::from(std::mem::take(&mut self.core.next).blocks);
        let (threads, share_from) = (self.team.threads(), self.expander.options.share_from);
        while !layer.is_empty() {
            if threads > 1 && layer::hold(&layer, share_from) {
                self.explore_wave(&mut layer)?;
            } else {
                self.explore_block(&mut layer)?;
            }
            self.check_layer(&layer)?;
        }
        Ok(())
    }

    /// Ends the search at a limit, in the middle of a layer.
    fn check_layer(&mut self, rest: &VecDeque<Vec<Node<P::State, O>>>) -> Result<(), Stop> {
        let every = rest.len().div_ceil(SAMPLES).max(1);
        let samples = rest.iter().step_by(every).filter_map(|block| block.first());
        self.check_limits(|| rest.iter().map(Vec::capacity).sum(), samples)
    }

    /// Expands some of the nodes of a layer, by several threads.
    fn explore_wave(&mut self, layer: &mut VecDeque<Vec<Node<P::State, O>>>) -> Result<(), Stop> {
        let threads = self.team.threads();
        self.workers.scratches.resize_with(threads, || Scratch::new(self.expander.options));
        let nodes = layer::split(layer::take(layer, self.workers.nodes(threads)), threads);
        let room = self.expander.options.memory.map(|limit| limit.saturating_sub(self.held));
        let Self { expander, core, workers, scratch, coverage, .. } = self;
        let budget = Budget { coverage, room };
        together(|| wave::expand(expander, nodes, coverage.bound, core, workers, budget, &mut scratch.tally))
    }

    /// Expands the nodes of the first block of a layer.
    fn explore_block(&mut self, layer: &mut VecDeque<Vec<Node<P::State, O>>>) -> Result<(), Stop> {
        let bound = self.coverage.bound;
        for node in layer.pop_front().into_iter().flatten() {
            self.expander.expand(node, bound, &mut self.scratch, &mut self.core)?;
            if self.scratch.tally.transitions - self.coverage.transitions >= LOOK_EVERY {
                self.check_layer(layer)?;
            }
        }
        self.core.settle();
        Ok(())
    }

    /// Ends the search at a limit. Some nodes wait elsewhere; these are samples.
    pub(crate) fn check_limits<'n>(
        &mut self,
        waiting: impl FnOnce() -> usize,
        samples: impl Iterator<Item = &'n Node<P::State, O>>,
    ) -> Result<(), Stop>
    where
        P::State: 'n,
        O: 'n,
    {
        // To weigh everything takes longer than a narrow layer.
        if self.scratch.tally.transitions - self.weighed >= LOOK_EVERY || self.weighed == 0 {
            self.weighed = self.scratch.tally.transitions;
            self.held = self.held_bytes(waiting(), samples);
            self.coverage.peak_bytes = self.coverage.peak_bytes.max(self.held);
        }
        self.take_stock();
        let options = self.expander.options;
        let limit = if options.states.is_some_and(|limit| self.coverage.states >= limit) {
            Some(Limit::States)
        } else if options.memory.is_some_and(|limit| self.held >= limit) {
            Some(Limit::Memory)
        } else {
            self.expander.watch.poll(&self.coverage)
        };
        limit.map_or(Ok(()), |limit| Err(Stop::Limit(limit)))
    }

    /// Likewise, for somebody who looks at what was explored, and holds so many bytes.
    pub(crate) fn room_for(&self, held: usize) -> Result<(), Stop> {
        let held = self.coverage.peak_bytes + held;
        let limit = match self.expander.options.memory {
            Some(limit) if held >= limit => Some(Limit::Memory),
            _ => self.expander.watch.poll(&self.coverage),
        };
        limit.map_or(Ok(()), |limit| Err(Stop::Limit(limit)))
    }

    pub(crate) fn take_stock(&mut self) {
        let Self { core, coverage, scratch, .. } = self;
        coverage.states = core.visited.len();
        coverage.transitions = scratch.tally.transitions;
        coverage.sealed = scratch.tally.sealed;
        coverage.unproposed = scratch.tally.unproposed;
        coverage.finals = scratch.tally.finals;
        coverage.frontier = core.frontier.len();
        coverage.visited_bytes = core.visited.bytes();
        coverage.collision_chance = core.visited.collision_chance();
        coverage.peak_bytes = coverage.peak_bytes.max(coverage.visited_bytes);
    }

    /// The bytes held now; what states hold on the heap is taken from samples.
    fn held_bytes<'n>(&self, waiting: usize, samples: impl Iterator<Item = &'n Node<P::State, O>>) -> usize
    where
        P::State: 'n,
        O: 'n,
    {
        let Core { ledger, visited, trails, next, frontier, .. } = &self.core;
        let every = next.blocks.len().div_ceil(SAMPLES).max(1);
        let newest = next.blocks.iter().rev().step_by(every).filter_map(|block| block.first());
        let heap = |node: &Node<P::State, O>| self.expander.heap_bytes(node);
        let heaps: Vec<usize> = samples.map(heap).chain(newest.map(heap)).collect();
        let heap = heaps.iter().sum::<usize>().div_ceil(heaps.len().max(1));
        let node = heap + size_of::<Node<P::State, O>>();
        visited.bytes()
            + ledger.bytes()
            + trails.bytes()
            + (next.capacity() + self.workers.capacity() + waiting + frontier.capacity()) * node
            + self.workers.bytes()
            + self.expander.program.shared_bytes()
    }
}
