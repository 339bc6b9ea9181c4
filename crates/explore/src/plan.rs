//! Searches by the names of their strategies.

use dally_schedule::StrategyName;

use crate::Program;
use crate::liveness::{Cycles, Liveness};
use crate::outcome::Report;
use crate::policy::{Delays, Depth, Exhaustive, Policy, Preemptions, Switches};
use crate::portfolio::{Deepen, side_by_side};
use crate::sample::{SampleOptions, Sampler};
use crate::search::{Options, Search, Watch};

/// A search under named strategies: for failures, or for cycles as well.
#[derive(Clone, Debug)]
pub struct Plan {
    /// Several strategies run side by side, under one bound.
    pub strategies: Vec<StrategyName>,
    /// The options that all of them share; the memory budget is divided evenly.
    pub options: Options,
    /// The method of the search for cycles, if there is one.
    pub liveness: Option<Liveness>,
    /// How executions are sampled beside the searches, if they are.
    pub sampling: Option<SampleOptions>,
}

impl Plan {
    /// A search of all states, without a bound.
    pub fn exhaustive() -> Self {
        Self::under(StrategyName::Exhaustive)
    }

    /// A search under one strategy, with the default options.
    pub fn under(strategy: StrategyName) -> Self {
        Plan { strategies: vec![strategy], options: Options::default(), liveness: None, sampling: None }
    }

    /// Searches a program, bound by bound. `watch` may end the search at any time.
    pub fn search<P: Program, W: Watch<P::State>>(&self, program: &P, watch: &W) -> Report {
        let options = self.options.shared_by(self.strategies.len());
        let one = Searcher { program, options, liveness: self.liveness, watch };
        let delays: Vec<Delays> =
            self.strategies.iter().filter_map(StrategyName::scheduler).map(Delays::named).collect();
        let mut delays = delays.iter();
        let searches = self.strategies.iter().map(|strategy| match strategy {
            StrategyName::Preemptions => one.under(&Preemptions(Switches::Preemptive)),
            StrategyName::Contexts => one.under(&Preemptions(Switches::All)),
            StrategyName::Depth => one.under(&Depth),
            StrategyName::Exhaustive => one.under(&Exhaustive),
            StrategyName::Delays(_) | StrategyName::Custom(_) => {
                delays.next().map_or_else(|| one.under(&Exhaustive), |policy| one.under(policy))
            }
        });
        let sampler = self.sampling.as_ref().map(|options| Sampler::new(program, options.clone(), watch));
        side_by_side(searches.collect(), sampler)
            .unwrap_or_else(|| Search::new(program, &Exhaustive, &one.options, watch).run())
    }
}

/// The arguments that all searches of a plan share.
struct Searcher<'a, P, W> {
    program: &'a P,
    options: Options,
    liveness: Option<Liveness>,
    watch: &'a W,
}

impl<P: Program, W: Watch<P::State>> Searcher<'_, P, W> {
    fn under<'s, O: Policy>(&'s self, policy: &'s O) -> Box<dyn Deepen + 's> {
        let Searcher { program, options, liveness, watch } = self;
        match liveness {
            None => Box::new(Search::new(*program, policy, options, *watch)),
            Some(liveness) => Box::new(Cycles::new(*program, policy, options, *liveness, *watch)),
        }
    }
}
