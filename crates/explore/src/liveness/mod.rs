//! Liveness checking: the search for cycles on which a property is violated.
//!
//! A step is hot, cold or neither for each of a program's [properties](Program::properties). An
//! infinite execution violates a property if from some point on no step is cold for it, and
//! infinitely many are hot: on a cycle, some step is hot and none is cold. By default only *fair*
//! cycles count ([`fair`]).
//!
//! Cycles are searched in the graph that was explored within a bound. Its nodes are the states; its
//! edges are the steps that were taken from each state within the bound, with the scheduler's state
//! of the first visit. Where executions are long, bounds are explored in rounds ([`crate::order`]): a
//! state beyond the horizon is a node without edges until a later pass, and a state that is visited
//! again at a lower cost is another node. Each node has edges for all steps of its state in the end, so
//! a cycle of states is a cycle of nodes, perhaps a longer one. The graph is the same for any number of threads, grows with the bound, and
//! finally contains every step. Enabledness is a property of the program and not of the bound: a
//! cycle that is found at some bound is fair in the whole program, and is an execution of it,
//! although it may need further delays in each iteration.
//!
//! There are three algorithms [TR15 §4.2]: maximal accepting predecessors ([`map`]), which keeps
//! its values from bound to bound; nested depth-first search at each bound ([`ndfs`]), which starts
//! over each time; and nested depth-first search without a bound, which explores the graph on the
//! fly. They find candidates, which may be unfair. [`fair`] then decides, once for each strongly
//! connected component, if the component has a fair cycle. So all three are sound, and complete for
//! the explored graph.

mod backwards;
pub(crate) mod components;
mod confirm;
mod edges;
mod fair;
mod graph;
mod lasso;
mod map;
mod ndfs;
mod source;
mod trim;

use std::fmt;

pub(crate) use confirm::Observed as ObservedCycle;
pub use confirm::replay_cycle;

use crate::outcome::{Bug, Covered, Limit, Report, Verdict};
use crate::policy::Policy;
use crate::search::{Options, Phase, Search, SliceEnd, Stop, Watch};
use crate::tree::NodeId;
use crate::{Program, SchedulerName};
use fair::{Component, Examiner};
use graph::Graph;
use lasso::Demands;
use map::{Map, Refining, Sharing};
use source::{Explored, OnTheFly};

/// The algorithm that finds cycles.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Method {
    /// Maximal accepting predecessors, kept from bound to bound [TR15 §4.2].
    #[default]
    Map,
    /// Nested depth-first search: at the given bound, or without one on the fly, over all
    /// schedules.
    Ndfs,
    /// Nested depth-first search at each bound, starting over each time.
    IterativeNdfs,
}

/// Which cycles to search for, and how.
#[derive(Clone, Copy, Debug)]
pub struct Liveness {
    /// The algorithm.
    pub method: Method,
    /// If true, only fair cycles are violations.
    pub fair: bool,
}

impl Default for Liveness {
    fn default() -> Self {
        Self { method: Method::Map, fair: true }
    }
}

/// The end of a slice of a search for cycles.
enum Searched {
    /// The work of the slice is done.
    Paused,
    /// A bound was explored and its graph was searched, with this verdict if there is one.
    Bound(Option<Verdict>),
}

/// The largest number of properties: they are bits of a word.
const MAX_PROPERTIES: u32 = 64;

/// A search for safety and liveness bugs, in progress.
pub struct Cycles<'a, P: Program, O: Policy, W> {
    liveness: Liveness,
    search: Search<'a, P, O, W, Graph>,
    /// One for each property.
    maps: Vec<Map>,
    refining: Refining,
    /// The number of bounds explored.
    bounds: usize,
}

impl<P: Program, O: Policy, W> fmt::Debug for Cycles<'_, P, O, W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Cycles").field("liveness", &self.liveness).field("search", &self.search).finish()
    }
}

impl<'a, P: Program, O: Policy, W: Watch<P::State>> Cycles<'a, P, O, W> {
    /// A search that has not begun. The options must not be exact, and steps must cost nothing: otherwise the
    /// verdict is [`Verdict::Unsupported`].
    pub fn new(
        program: &'a P,
        policy: &'a O,
        options: &'a Options,
        liveness: Liveness,
        watch: &'a W,
    ) -> Self {
        let mut search = Search::keeping(program, policy, options, watch);
        // Nested depth-first search starts over at each bound that is complete.
        if liveness.method != Method::Map {
            search.expander.order.horizon = None;
        }
        Self { liveness, search, maps: Vec::new(), refining: Refining::default(), bounds: 0 }
    }

    /// Searches until there is a verdict.
    pub fn run(mut self) -> Report {
        loop {
            if let Some(report) = self.deepen() {
                return report;
            }
        }
    }

    pub(crate) fn so_far(&self) -> Covered {
        self.search.so_far()
    }

    /// Explores the next bound. Returns the report if the search is over.
    pub(crate) fn deepen(&mut self) -> Option<Report> {
        self.advance(u64::MAX)
    }

    /// Explores until a bound is complete and its graph is searched, or about `work` transitions were taken.
    /// Nested depth-first search is not interrupted. Returns the report if the search is over.
    pub(crate) fn advance(&mut self, work: u64) -> Option<Report> {
        let completed = self.search.coverage.completed_bound;
        let verdict = match self.unsuitable() {
            Some(why) => Verdict::Unsupported(why.to_owned()),
            None => match self.search_bound(work) {
                Err(stop) => {
                    // The last bound was explored, but its graph was not searched completely.
                    self.search.update_coverage();
                    self.search.coverage.completed_bound = completed;
                    self.search.stopped(stop)
                }
                Ok(Searched::Paused) => return None,
                Ok(Searched::Bound(Some(verdict))) => verdict,
                Ok(Searched::Bound(None)) => self.search.verdict_after_bound()?,
            },
        };
        Some(self.search.report(verdict))
    }

    /// The reason why this search cannot be run, if there is one.
    fn unsuitable(&self) -> Option<&'static str> {
        if self.search.expander.options.exact {
            Some("liveness cannot be combined with exact search: cycles are cycles of the program's states")
        } else if self.search.expander.policy.step_cost() > 0 {
            Some("liveness needs steps that cost nothing")
        } else if self.search.expander.program.properties() > MAX_PROPERTIES {
            Some("the program has more than 64 liveness properties")
        } else {
            None
        }
    }

    fn properties(&self) -> impl Iterator<Item = u64> + use<P, O, W> {
        (0..self.search.expander.program.properties()).map(|property| 1 << property)
    }

    fn phase(&self, phase: Phase) {
        self.search.expander.watch.phase(phase);
    }

    /// Explores the next bound, and searches its graph for a cycle.
    fn search_bound(&mut self, work: u64) -> Result<Searched, Stop> {
        let Options { bound, delays, .. } = *self.search.expander.options;
        let unbounded = bound.is_none() && delays.is_none();
        self.phase(Phase::Explore);
        match self.liveness.method {
            Method::Ndfs if unbounded => return self.search_on_the_fly().map(Searched::Bound),
            Method::Map if self.search.explore_for(work)? == SliceEnd::Paused => return Ok(Searched::Paused),
            Method::Map => {}
            Method::IterativeNdfs => {
                self.restart();
                (0..=self.bounds).try_for_each(|_| self.search.explore())?;
            }
            Method::Ndfs => {
                self.search.explore()?;
                while self.search.verdict_after_bound().is_none() {
                    self.search.explore()?;
                }
            }
        }
        self.bounds += 1;
        if self.search.core.ledger.is_full() {
            return Err(Stop::Limit(Limit::Memory));
        }
        let found = match self.liveness.method {
            Method::Map => self.search.team.clone().run(|| self.find_by_map())?,
            Method::Ndfs | Method::IterativeNdfs => self.find_by_ndfs()?,
        };
        Ok(Searched::Bound(found.map(|(property, component)| self.verdict(property, &component))))
    }

    /// Discards everything that was explored.
    fn restart(&mut self) {
        let peak = self.search.coverage.peak_bytes;
        self.search = self.search.restarted();
        self.search.coverage.peak_bytes = peak;
    }

    /// [TR15 Fig. 3], the body of the outer loop.
    fn find_by_map(&mut self) -> Result<Option<(u64, Component)>, Stop> {
        let fresh = self.search.core.ledger.take_fresh(self.search.team.threads());
        let properties = self.properties();
        let Self { search, maps, refining, liveness, .. } = self;
        let sharing = Sharing { threads: search.team.threads(), from: search.expander.options.share_from };
        let watch = search.expander.watch;
        let graph = &search.core.ledger;
        // The memory kept since the last bound was counted when this one was explored.
        let poll = |held: usize| search.check_analysis(held.saturating_sub(graph.analysis_bytes));
        maps.resize_with(search.expander.program.properties() as usize, Map::default);
        let mut kept = refining.bytes() + maps.iter().map(Map::bytes).sum::<usize>();
        for (property, map) in properties.zip(maps) {
            let before = refining.bytes() + map.bytes();
            refining.examiner.begin(property, liveness.fair, graph.len());
            let mut source = Explored::new(graph, &poll);
            watch.phase(Phase::Calculate);
            map.calculate(graph, property, &fresh, sharing, &mut || poll(0))?;
            let mut found = map.find(&mut refining.examiner, &mut source, sharing)?;
            if found.is_none() {
                watch.phase(Phase::Refine);
                found = map.refine(refining, &mut source, sharing, &mut || poll(0))?;
            }
            if let Some(component) = found {
                return Ok(Some((property, component)));
            }
            kept += refining.bytes() + map.bytes() - before;
            poll(kept)?;
        }
        self.search.core.ledger.analysis_bytes = kept;
        Ok(None)
    }

    fn find_by_ndfs(&mut self) -> Result<Option<(u64, Component)>, Stop> {
        let core = &self.search.core;
        let poll = |held| self.search.check_analysis(held);
        let initial: Vec<u32> = (0..core.tree.initial()).collect();
        self.phase(Phase::Nested);
        for property in self.properties() {
            let mut examiner = Examiner::new(property, self.liveness.fair);
            let mut source = Explored::new(&core.ledger, &poll);
            if let Some(found) = ndfs::search(&mut source, &initial, property, &mut examiner)? {
                return Ok(Some((property, found)));
            }
        }
        Ok(None)
    }

    /// Nested depth-first search without a bound, which expands nodes when it visits them.
    fn search_on_the_fly(&mut self) -> Result<Option<Verdict>, Stop> {
        let properties = self.properties();
        let fair = self.liveness.fair;
        let mut source = OnTheFly::new(&mut self.search)?;
        let mut found = None;
        for property in properties {
            let initial = source.initial();
            let mut examiner = Examiner::new(property, fair);
            if let Some(component) = ndfs::search(&mut source, &initial, property, &mut examiner)? {
                found = Some((property, component));
                break;
            }
        }
        // Nodes can be left, for instance if the program has no properties.
        if found.is_none() {
            source.open_all()?;
            self.search.coverage.completed_bound = Some(0);
        }
        self.search.update_coverage();
        Ok(found.map(|(property, component)| self.verdict(property, &component)))
    }

    /// The verdict for a component with a violating cycle.
    fn verdict(&self, property: u64, component: &Component) -> Verdict {
        self.phase(Phase::Trace);
        let expander = &self.search.expander;
        if self.search.coverage.sealed > 0 {
            let why = "a cycle was found, but it may violate seals: remove seals to check liveness";
            return Verdict::Unsupported(why.to_owned());
        }
        let demands = Demands { graph: &self.search.core.ledger, property, fair: self.liveness.fair };
        let bug = lasso::shortest(component, demands).and_then(|cycle| {
            let stem = Some(NodeId::new(cycle.node as usize));
            let mut resolver = self.search.resolve(stem, None);
            let from = resolver.steps();
            resolver.follow(cycle.segments);
            let mut schedule = resolver.finish();
            schedule.cycle = Some(from);
            let schedule = match lasso::price(expander.program, expander.policy, schedule.clone(), from) {
                Some(priced) => priced,
                // The policy would not propose the steps of the cycle again: report the execution
                // without it.
                None => {
                    schedule.strategy = SchedulerName::Bag.into();
                    schedule.steps.iter_mut().for_each(|step| step.cost = 0);
                    schedule
                }
            };
            let failure = replay_cycle(expander.program, &schedule, self.liveness.fair, |_| {}).ok()?;
            let cost = schedule.cost();
            Some(Bug { failure, schedule, cost })
        });
        match bug {
            Some(bug) => Verdict::Bug(Box::new(bug)),
            None => {
                Verdict::Unsupported("the cycle found does not replay: this is a bug in dally".to_owned())
            }
        }
    }
}
