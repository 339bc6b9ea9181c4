//! Liveness: something that should happen may never do so, on a cycle.
//!
//! A step is hot or cold, or neither, for each of a program's [properties](Program::properties). An execution violates
//! a property if from some point on no step is cold for it, and it is hot again and again: on a cycle, some step is
//! hot and none is cold. By default only *fair* cycles count ([`fair`]).
//!
//! Such cycles are looked for in the graph of what was explored within a bound, which is the same for any number of
//! threads: its nodes are the states; its edges are the steps that were taken from each state within the bound, as it
//! was first reached. It grows with the bound, and in the end has every step. Who can move is taken from the program,
//! whatever the bound: a cycle that is found at any bound is fair in all of the program, and a real execution of it,
//! which may need further delays each time around.
//!
//! There are three ways to look for cycles [TR15 §4.2]: maximal accepting predecessors ([`map`]), which keeps from bound
//! to bound what it has calculated; nested depth-first search ([`ndfs`]), which begins anew at each bound; and the same
//! without any bound, depth first and on the way. They find candidates. A candidate is not always fair; whether its
//! strongly connected component has a fair cycle is decided by [`fair`], once for each component. So all three are
//! sound, and as complete as what was explored.

mod backwards;
mod components;
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

pub use confirm::replay_cycle;

use crate::policy::Policy;
use crate::report::{Bug, Limit, Report, Verdict};
use crate::search::{Options, Phase, Search, Stop, Watch};
use crate::trails::Trail;
use crate::{Coverage, Program};
use fair::{Component, Examiner};
use graph::Graph;
use lasso::Demands;
use map::{Map, Refining, Sharing};
use source::{Explored, OnTheWay};

/// How to look for cycles.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Method {
    /// Maximal accepting predecessors, kept from bound to bound.
    #[default]
    Map,
    /// Nested depth-first search: at the bound that is given, or without one, of everything, depth first.
    Ndfs,
    /// Nested depth-first search at each bound, from scratch.
    IterativeNdfs,
}

/// Which cycles to look for, and how.
#[derive(Clone, Copy, Debug)]
pub struct Liveness {
    /// How to look for them.
    pub method: Method,
    /// Whether only fair cycles count.
    pub fair: bool,
}

impl Default for Liveness {
    fn default() -> Self {
        Self { method: Method::Map, fair: true }
    }
}

/// The most properties of a program.
const MOST_PROPERTIES: u32 = 64;

/// A search for failures and for cycles, in progress.
pub struct Cycles<'a, P: Program, O: Policy, W> {
    liveness: Liveness,
    search: Search<'a, P, O, W, Graph>,
    /// One for each property.
    maps: Vec<Map>,
    refining: Refining,
    /// How many bounds were explored.
    bounds: usize,
}

impl<P: Program, O: Policy, W> fmt::Debug for Cycles<'_, P, O, W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Cycles").field("liveness", &self.liveness).field("search", &self.search).finish()
    }
}

impl<'a, P: Program, O: Policy, W: Watch<P::State>> Cycles<'a, P, O, W> {
    /// A search that has not begun. It is not exact, choices cost nothing, and the policy must not charge for steps:
    /// otherwise the verdict is [`Verdict::Unsupported`].
    pub fn new(
        program: &'a P,
        policy: &'a O,
        options: &'a Options,
        liveness: Liveness,
        watch: &'a W,
    ) -> Self {
        let search = Search::keeping(program, policy, options, watch);
        Self { liveness, search, maps: Vec::new(), refining: Refining::default(), bounds: 0 }
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
        &self.search.coverage
    }

    pub(crate) fn so_far(&self) -> (String, Coverage) {
        self.search.so_far()
    }

    /// Explores the next bound. The report, if that settles the matter: then the search is over.
    pub fn deepen(&mut self) -> Option<Report> {
        let completed = self.search.coverage.completed_bound;
        let verdict = match self.unsuitable() {
            Some(why) => Verdict::Unsupported(why.to_owned()),
            None => match self.look() {
                Err(stop) => {
                    // What was explored last was not looked at to the end.
                    self.search.coverage.completed_bound = completed;
                    self.search.stopped(stop)
                }
                Ok(Some(verdict)) => verdict,
                Ok(None) => self.search.verdict_after_bound()?,
            },
        };
        Some(self.search.report(verdict))
    }

    fn unsuitable(&self) -> Option<&'static str> {
        let Options { exact, choice_cost, .. } = *self.search.expander.options;
        if exact {
            Some("cycles are cycles of the program: they are not looked for in exact searches")
        } else if choice_cost > 0 || self.search.expander.policy.step_cost() > 0 {
            Some("cycles are looked for only where choices and steps cost nothing")
        } else if self.search.expander.program.properties() > MOST_PROPERTIES {
            Some("there are more than 64 liveness properties")
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

    /// Explores, and looks for a cycle.
    fn look(&mut self) -> Result<Option<Verdict>, Stop> {
        let unbounded = self.search.expander.options.bound.is_none();
        self.phase(Phase::Explore);
        match self.liveness.method {
            Method::Ndfs if unbounded => return self.look_on_the_way(),
            Method::Map => self.search.explore()?,
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
            Method::Map => self.search.team.clone().run(|| self.look_by_map())?,
            Method::Ndfs | Method::IterativeNdfs => self.look_by_ndfs()?,
        };
        Ok(found.map(|(property, component)| self.verdict(property, &component)))
    }

    /// Forgets everything that was explored.
    fn restart(&mut self) {
        let peak = self.search.coverage.peak_bytes;
        self.search = self.search.anew();
        self.search.coverage.peak_bytes = peak;
    }

    /// [TR15 Fig. 3], the body of the outer loop.
    fn look_by_map(&mut self) -> Result<Option<(u64, Component)>, Stop> {
        let fresh = self.search.core.ledger.take_fresh(self.search.team.threads());
        let properties = self.properties();
        let Self { search, maps, refining, liveness, .. } = self;
        let sharing = Sharing { threads: search.team.threads(), from: search.expander.options.share_from };
        let watch = search.expander.watch;
        let graph = &search.core.ledger;
        // What is kept from the last bound was counted when this one was explored.
        let poll = |held: usize| search.room_for(held.saturating_sub(graph.others));
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
        self.search.core.ledger.others = kept;
        Ok(None)
    }

    fn look_by_ndfs(&mut self) -> Result<Option<(u64, Component)>, Stop> {
        let core = &self.search.core;
        let poll = |held| self.search.room_for(held);
        let initial: Vec<u32> = (0..core.trails.initial()).collect();
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

    /// Without a bound: takes steps only where the nested search comes by.
    fn look_on_the_way(&mut self) -> Result<Option<Verdict>, Stop> {
        let properties = self.properties();
        let fair = self.liveness.fair;
        let mut source = OnTheWay::new(&mut self.search)?;
        let mut found = None;
        for property in properties {
            let initial = source.initial();
            let mut examiner = Examiner::new(property, fair);
            if let Some(component) = ndfs::search(&mut source, &initial, property, &mut examiner)? {
                found = Some((property, component));
                break;
            }
        }
        // A program without properties is searched all the same.
        if found.is_none() {
            source.open_all()?;
        }
        self.search.take_stock();
        self.search.coverage.completed_bound = Some(0);
        Ok(found.map(|(property, component)| self.verdict(property, &component)))
    }

    /// The bug that a component shows.
    fn verdict(&self, property: u64, component: &Component) -> Verdict {
        self.phase(Phase::Trace);
        let expander = &self.search.expander;
        if self.search.coverage.sealed > 0 {
            let why = "there is a cycle, but it may break seals: take them out to look for cycles";
            return Verdict::Unsupported(why.to_owned());
        }
        let demands = Demands { graph: &self.search.core.ledger, property, fair: self.liveness.fair };
        let bug = lasso::shortest(component, demands).and_then(|found| {
            let stem = Some(Trail::at(found.node as usize));
            let mut schedule = self.search.core.trails.schedule(expander.policy.name(), stem, None);
            let from = schedule.steps.len();
            schedule.cycle = Some(from);
            schedule.steps.extend(found.steps);
            let schedule = match lasso::price(expander.program, expander.policy, schedule.clone(), from) {
                Some(priced) => priced,
                // The policy would not go this way again: it is an execution without one.
                None => {
                    schedule.policy = "bag".to_owned();
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
                Verdict::Unsupported("a cycle was found that does not replay: a defect of dally".to_owned())
            }
        }
    }
}
