//! The search: pass by pass, and layer by layer within a pass.
//!
//! Iterative safety search [TR15 §4.1, Fig. 1]: the search explores executions of cost 0, then
//! those of cost 1, and so on. Work that costs more than the current bound is kept in the frontier.
//! A bound that leaves the frontier empty has covered every schedule. Executions that do not end are
//! explored in rounds, so that higher bounds begin nevertheless ([`crate::order`]). A bound is
//! complete when no work of its cost, or a lower one, is left.
//!
//! In *cached* mode, the default, a state is expanded once, with the scheduler's state of its first
//! visit. Bound K then explores only states that K suffices to reach, but possibly not all of them;
//! only an empty frontier is a proof. In *exact* mode a state is expanded once for each state of
//! the policy, and bound K covers exactly the executions of cost at most K. Bounds then ascend without
//! rounds, so that the first visit of a state is one of least cost.
//!
//! Deviations:
//! 1. The first bound is 0, and bounds rise by 1, in rounds if executions are long.
//! 2. Within a bound the search is breadth-first; the figure is depth-first. The layers of a
//!    breadth-first search can be expanded by several threads with the same result for any number
//!    of threads ([`crate::wave`]), and counterexamples are short.

mod core;
mod limits;
mod options;

use std::collections::VecDeque;
use std::fmt;

use crate::abandoned::Abandoned;
use crate::expand::{Expander, Finder, Found, Node, Passages, Scratch, Sink};
use crate::frontier::{Frontier, Unvisited};
use crate::layer::{self, Layer};
use crate::ledger::Ledger;
use crate::order::{Order, Pass};
use crate::outcome::{Bug, Covered, Limit, Report, StateCoverage, Verdict};
use crate::packed::{Packed, Standings};
use crate::policy::Policy;
use crate::reduce::{self, Effort, Marks};
use crate::resolve::{Resolver, Segment};
use crate::shorten::shorten;
use crate::team::{Team, with_spinning_threads};
use crate::tree::{Link, NodeId, SearchTree};
use crate::visited::{Mark, Visited};
use crate::wave::{Wave, WaveBudget, Workers};
use crate::{FailureKind, Program, Schedule};

pub(crate) use self::core::Core;
pub use options::{Explored, Options, Phase, Watch};

/// The reason for which a slice of a search has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SliceEnd {
    /// A pass is done.
    Pass,
    /// The work of a slice is done.
    Paused,
}

/// The nodes of a layer between two points at which a search can pause.
const PORTION: usize = 32 * layer::BLOCK;

/// Limits are checked inside a layer after at least this much work. The work of one node is never split.
pub(crate) const LOOK_EVERY: u64 = 1 << 12;

/// The size of a node is estimated from at most this many samples.
pub(crate) const SAMPLES: usize = 32;

/// A search in progress.
#[expect(private_bounds, reason = "only this crate chooses the ledger")]
pub struct Search<'a, P: Program, O: Policy, W, L: Ledger = ()> {
    pub(crate) expander: Expander<'a, P, O, W>,
    pub(crate) core: Core<P::State, O, L>,
    pub(crate) team: Team,
    scratch: Scratch<P::State, O>,
    /// Used if there are several threads.
    workers: Workers<P::State, O>,
    pub(crate) coverage: StateCoverage,
    begun: bool,
    pass: Pass,
    /// The rest of the layer that is being explored.
    pub(crate) layer: VecDeque<Vec<Node<P::State, O>>>,
    /// Nodes of the pass that wait to be explored before the others.
    pub(crate) packed: VecDeque<Vec<Packed<P::State>>>,
    /// The nodes with which the pass continues after those.
    pub(crate) first: VecDeque<Vec<Node<P::State, O>>>,
    /// The node whose expansion a limit interrupted, and its cost.
    pub(crate) interrupted_at: Option<(NodeId, u32)>,
    /// The coverage before the portion that is being explored.
    before_portion: Option<Box<StateCoverage>>,
    /// True if the search began with reduction, so that an execution can contain steps ahead of their turns.
    reduces: bool,
    /// The bytes in use when they were last counted.
    held: usize,
    /// The work done at that time.
    weighed: u64,
}

/// Why a search stops.
pub(crate) enum Stop {
    Found(Found),
    Limit(Limit),
    /// Too many steps cannot be executed.
    Abandoned,
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

    /// Searches until there is a verdict.
    pub fn run(mut self) -> Report {
        loop {
            if let Some(report) = self.deepen() {
                return report;
            }
        }
    }

    /// The coverage so far.
    pub fn coverage(&self) -> &StateCoverage {
        &self.coverage
    }

    /// Explores until another bound is complete. Returns the report if the search is over.
    pub fn deepen(&mut self) -> Option<Report> {
        let verdict = match self.explore() {
            Err(stop) => self.stopped(stop),
            Ok(()) => self.verdict_after_bound()?,
        };
        Some(self.report(verdict))
    }

    /// Explores until a pass is done, or about `work` steps and outcomes were computed. Returns the report if the
    /// search is over.
    pub fn advance(&mut self, work: u64) -> Option<Report> {
        let verdict = match self.explore_for(work) {
            Err(stop) => self.stopped(stop),
            Ok(SliceEnd::Paused) => return None,
            Ok(SliceEnd::Pass) => self.verdict_after_bound()?,
        };
        Some(self.report(verdict))
    }
}

#[expect(private_bounds, reason = "as for the search")]
impl<'a, P: Program, O: Policy, W: Watch<P::State>, L: Ledger> Search<'a, P, O, W, L> {
    /// A search that has not begun, with a ledger.
    pub(crate) fn keeping(program: &'a P, policy: &'a O, options: &'a Options, watch: &'a W) -> Self {
        let dovetails = !options.exact && policy.step_cost() == 0;
        let order = Order { horizon: options.horizon.filter(|_| dovetails) };
        let reduces = !L::RECORDS && reduce::applies(program, policy, options);
        let effort = Effort::new(reduces);
        Self::by(Team::new(options.threads), Expander { program, policy, watch, options, order, effort })
    }

    /// A copy of this search that starts from the beginning, on the same threads.
    pub(crate) fn restarted(&self) -> Self {
        let Expander { program, policy, watch, options, order, .. } = self.expander;
        let effort = Effort::new(self.reduces);
        Self::by(self.team.clone(), Expander { program, policy, watch, options, order, effort })
    }

    fn by(team: Team, expander: Expander<'a, P, O, W>) -> Self {
        let cuts = expander.options.steps.is_some();
        let reduces = expander.effort.reduces;
        let visited = Visited::new(cuts, reduces);
        let core = Core {
            ledger: L::default(),
            draft: L::Draft::default(),
            visited,
            tree: SearchTree::default(),
            next: Layer::default(),
            frontier: Frontier::default(),
            standings: Standings::default(),
            suspended: 0,
            marks: Marks::default(),
            passages: Passages::default(),
            abandoned: Abandoned::default(),
        };
        Self {
            scratch: Scratch::new(expander.options),
            expander,
            core,
            team,
            workers: Workers::default(),
            coverage: StateCoverage::default(),
            begun: false,
            pass: Pass::default(),
            layer: VecDeque::new(),
            packed: VecDeque::new(),
            first: VecDeque::new(),
            interrupted_at: None,
            before_portion: None,
            reduces,
            held: 0,
            weighed: 0,
        }
    }

    /// The strategy, and the coverage so far.
    pub(crate) fn so_far(&self) -> Covered {
        Covered { strategy: self.expander.policy.strategy(), coverage: self.coverage.clone() }
    }

    /// Resolves the execution that leads to node `to`, followed by the step `last`, if there is one.
    pub(crate) fn resolve(&self, to: Option<NodeId>, last: Option<Link>) -> Resolver<'a, P> {
        let Expander { program, policy, options, .. } = self.expander;
        let links = self.core.tree.path(to, last);
        let initial = links.first().map_or(0, |link| link.branch.nth());
        let mut resolver = Resolver::new(program, policy.strategy(), initial, Finder::of(options));
        let steps = links.get(1..).unwrap_or_default();
        resolver.follow(steps.iter().map(Segment::from));
        resolver
    }

    /// The schedule that leads to node `to`, followed by the step `last`, if there is one.
    pub(crate) fn schedule(&self, to: Option<NodeId>, last: Option<Link>) -> Schedule {
        self.resolve(to, last).finish()
    }

    /// Explores passes until another bound is complete, or no work is left within the limits.
    pub(crate) fn explore(&mut self) -> Result<(), Stop> {
        let before = self.coverage.completed_bound;
        while self.explore_for(u64::MAX)? == SliceEnd::Pass
            && self.coverage.completed_bound == before
            && !self.is_done()
        {}
        Ok(())
    }

    /// Explores until the current pass is done, or about `work` steps and outcomes were computed. The point at which
    /// it pauses does not depend on the number of threads.
    pub(crate) fn explore_for(&mut self, work: u64) -> Result<SliceEnd, Stop> {
        let explored = self.team.clone().run(|| self.explore_pass(work));
        if !matches!(explored, Ok(SliceEnd::Paused)) {
            // Drop deferred nodes that this pass has reached.
            let Core { frontier, visited, .. } = &mut self.core;
            frontier.remove_visited(visited);
        }
        self.update_coverage();
        // A bound with a step that cannot be executed is not complete.
        if let Ok(SliceEnd::Pass) = explored
            && self.core.abandoned.count == 0
        {
            let least = self.core.frontier.least_cost();
            let highest = self.coverage.bound;
            self.coverage.completed_bound = least.map_or(Some(highest), |least| least.checked_sub(1));
        }
        let (strategy, cost) = (self.expander.policy.strategy(), self.pass.cost);
        let part = Explored { strategy: &strategy, cost, coverage: &self.coverage };
        self.expander.watch.explored(&part);
        explored
    }

    /// True if no work is left within the bound.
    fn is_done(&self) -> bool {
        let limit = self.expander.options.bound.unwrap_or(u32::MAX);
        self.core.frontier.least_cost().is_none_or(|least| least > limit)
    }

    /// Adds the initial states to the next layer.
    pub(crate) fn begin(&mut self) -> Result<(), Stop> {
        self.begun = true;
        self.expander.begin(&mut self.scratch, &mut self.core)?;
        self.core.settle();
        Ok(())
    }

    /// Expands one node, without a bound.
    pub(crate) fn open(&mut self, node: Node<P::State, O>) -> Result<(), Stop> {
        self.expander.expand(node, Pass::UNBOUNDED, &mut self.scratch, &mut self.core)?;
        self.core.settle();
        if self.core.abandoned.is_too_many() { Err(Stop::Abandoned) } else { Ok(()) }
    }

    /// The verdict of a search that was stopped.
    pub(crate) fn stopped(&mut self, stop: Stop) -> Verdict {
        match stop {
            Stop::Found(found) => {
                if let FailureKind::Interrupted(_) = found.failure.kind {
                    self.interrupted_at = found.at.map(|node| (node, found.cost));
                }
                self.failed(found)
            }
            Stop::Limit(limit) => self.inconclusive(limit),
            Stop::Abandoned => {
                // Where the search stops depends on the number of threads, and the coverage must not.
                if let Some(coverage) = self.before_portion.take() {
                    self.coverage = *coverage;
                }
                self.inconclusive(Limit::Unfinished)
            }
        }
    }

    /// The verdict at a limit.
    fn inconclusive(&self, limit: Limit) -> Verdict {
        self.core.abandoned.first.clone().map_or(Verdict::Inconclusive(limit), Verdict::Unsupported)
    }

    /// A report with this verdict.
    pub(crate) fn report(&self, verdict: Verdict) -> Report {
        let Covered { strategy, coverage } = self.so_far();
        let running = if let Verdict::Inconclusive(_) = verdict { self.running() } else { None };
        Report { verdict, coverage, strategy, others: Vec::new(), sampled: None, running }
    }

    /// The verdict after a bound without failures; `None` if a higher bound is to be explored.
    pub(crate) fn verdict_after_bound(&self) -> Option<Verdict> {
        let StateCoverage { unproposed, sealed, beyond, cut, excluded, .. } = self.coverage;
        if !self.is_done() {
            return None;
        }
        if let Some(message) = &self.core.abandoned.first {
            return Some(Verdict::Unsupported(message.clone()));
        }
        let options = self.expander.options;
        // A state that was expanded once, in a sealed order, can have other successors in another
        // order.
        let covers_all = unproposed == 0 && (sealed == 0 || options.exact) && cut == 0 && excluded == 0;
        let is_limited = !self.core.frontier.is_empty() || beyond > 0;
        let limit = options.bound.unwrap_or(u32::MAX).min(options.delays.unwrap_or(u32::MAX));
        Some(match is_limited {
            false if covers_all => Verdict::Proved,
            true if options.exact && cut == 0 && excluded == 0 => Verdict::ProvedWithin(limit),
            _ => Verdict::NoBug,
        })
    }

    fn failed(&self, found: Found) -> Verdict {
        match found.failure.kind {
            FailureKind::Unsupported => return Verdict::Unsupported(found.failure.message),
            // The observer may know the reason for which the step was cancelled.
            FailureKind::Interrupted(Limit::Cancelled) => {
                let limit = self.expander.watch.poll(&self.coverage);
                return self.inconclusive(limit.unwrap_or(Limit::Cancelled));
            }
            FailureKind::Interrupted(limit) => return self.inconclusive(limit),
            FailureKind::Assertion
            | FailureKind::Deadlock
            | FailureKind::Liveness
            | FailureKind::Runtime
            | FailureKind::Path => {}
        }
        let schedule = self.schedule(found.at, found.link);
        let bug = Bug { failure: found.failure, schedule, cost: found.cost };
        if !self.reduces {
            return Verdict::Bug(Box::new(bug));
        }
        let Expander { program, policy, options, watch, .. } = self.expander;
        let stop = || watch.poll(&self.coverage).is_some();
        Verdict::Bug(Box::new(shorten(program, policy, options, bug, &stop)))
    }

    fn explore_pass(&mut self, work: u64) -> Result<SliceEnd, Stop> {
        let until = self.scratch.tally.work.saturating_add(work);
        if !self.begun {
            self.begin()?;
        } else if !self.fill_layer() {
            self.begin_pass()?;
        }
        loop {
            if !self.fill_layer() {
                return Ok(SliceEnd::Pass);
            }
            if self.scratch.tally.work >= until {
                return Ok(SliceEnd::Paused);
            }
            self.explore_portion()?;
        }
    }

    /// Fills the layer, if it is empty, with the next nodes of the pass: those that waited, in portions; those
    /// that were reached before the pass; then the next layer. Returns false if nothing is left.
    fn fill_layer(&mut self) -> bool {
        if self.layer.is_empty() {
            let standings = &self.core.standings;
            let packed = layer::take_exactly(&mut self.packed, PORTION).into_iter();
            let unpack =
                |block: Vec<Packed<_>>| block.into_iter().map(|node| node.unpack(standings)).collect();
            self.layer = packed.map(unpack).collect();
        }
        if self.layer.is_empty() {
            self.layer = std::mem::take(&mut self.first);
        }
        if self.layer.is_empty() {
            self.layer = std::mem::take(&mut self.core.next).blocks.into();
        }
        !self.layer.is_empty()
    }

    /// Begins the next pass with the work that was deferred to it.
    fn begin_pass(&mut self) -> Result<(), Stop> {
        let limit = self.expander.options.bound.unwrap_or(u32::MAX);
        let Some((pass, bucket)) = self.core.frontier.take_next(limit) else { return Ok(()) };
        if pass.cost < self.pass.cost {
            self.forget_recent();
        }
        self.pass = pass;
        self.coverage.bound = self.coverage.bound.max(pass.cost);
        self.packed = bucket.partial.blocks.into();
        for Unvisited { key, node, link } in bucket.unvisited {
            self.core.offer(key, link, node.rank(), || node);
        }
        self.core.settle();
        self.first = std::mem::take(&mut self.core.next).blocks.into();
        self.core.abandoned.append(bucket.abandoned);
        bucket.failing.map_or(Ok(()), |found| Err(found.into()))
    }

    fn forget_recent(&mut self) {
        self.scratch.forget_recent();
        self.workers.scratches.iter_mut().for_each(Scratch::forget_recent);
    }

    /// Explores nodes from the front of the layer: a fixed number, so that the number of threads has no
    /// influence on where a search pauses.
    fn explore_portion(&mut self) -> Result<(), Stop> {
        let mut portion: VecDeque<_> = layer::take_exactly(&mut self.layer, PORTION).into();
        let (threads, share_from) = (self.team.threads(), self.expander.options.share_from);
        self.before_portion = Some(Box::new(self.coverage.clone()));
        if self.expander.effort.update(&self.scratch.tally) {
            // States that were not looked at can be fused now.
            self.forget_recent();
        }
        if self.expander.effort.reduces {
            self.close(&portion);
        }
        while !portion.is_empty() {
            if threads > 1 && layer::holds_at_least(&portion, share_from) {
                self.explore_wave(&mut portion)?;
            } else {
                self.explore_block(&mut portion)?;
            }
            self.check_layer(&portion)?;
        }
        self.core.marks.apply(&mut self.core.visited, &mut self.core.passages);
        Ok(())
    }

    /// Marks the states of nodes as closed.
    fn close(&mut self, portion: &VecDeque<Vec<Node<P::State, O>>>) {
        let mut keys = Vec::new();
        for block in portion {
            let states = block.iter().filter(|node| node.pending.is_none());
            keys.clear();
            keys.extend(states.map(|node| self.expander.program.fingerprint(&node.state)));
            self.core.visited.mark_all(&keys, Mark::Closed);
        }
    }

    /// Checks limits while `rest` is left of the layer.
    fn check_layer(&mut self, rest: &VecDeque<Vec<Node<P::State, O>>>) -> Result<(), Stop> {
        let layer = std::mem::take(&mut self.layer);
        let blocks = || rest.iter().chain(&layer);
        let every = (rest.len() + layer.len()).div_ceil(SAMPLES).max(1);
        let samples = blocks().step_by(every).filter_map(|block| block.first());
        let checked = self.check_limits(|| blocks().map(Vec::capacity).sum(), samples);
        self.layer = layer;
        checked
    }

    /// Expands nodes from the front of a layer, on several threads.
    fn explore_wave(&mut self, layer: &mut VecDeque<Vec<Node<P::State, O>>>) -> Result<(), Stop> {
        let threads = self.team.threads();
        self.workers.scratches.resize_with(threads, || Scratch::new(self.expander.options));
        let nodes = layer::split_for_threads(layer::take_front(layer, self.workers.nodes(threads)), threads);
        let bytes_left = self.expander.options.memory.map(|limit| limit.saturating_sub(self.held));
        let Self { expander, core, workers, scratch, coverage, pass, .. } = self;
        let budget = WaveBudget { coverage, bytes_left };
        let wave = Wave { expander, pass: *pass, core, workers, tally: &mut scratch.tally };
        with_spinning_threads(|| wave.run(nodes, budget))
    }

    /// Expands the nodes of the first block of a layer, on this thread.
    fn explore_block(&mut self, layer: &mut VecDeque<Vec<Node<P::State, O>>>) -> Result<(), Stop> {
        let pass = self.pass;
        for node in layer.pop_front().into_iter().flatten() {
            self.expander.expand(node, pass, &mut self.scratch, &mut self.core)?;
            if self.core.abandoned.is_too_many() {
                return Err(Stop::Abandoned);
            }
            if self.scratch.tally.work - self.coverage.work >= LOOK_EVERY {
                self.check_layer(layer)?;
            }
        }
        self.core.settle();
        Ok(())
    }
}
