//! The strategies that the flags name, and the search under them.

use dally_explore::policy::Policy;
use dally_explore::{
    Cycles, Deepen, Delays, Depth, Exhaustive, Liveness, Options, Preemptions, Program, Report,
    SchedulerName, Search, StrategyName, Switches, Unit, side_by_side,
};
use dally_schedule::{ListContext, Vocabulary};

use super::monitor::Monitor;
use crate::cli::Check;

/// The order of tasks of a language, unless flags say otherwise.
pub(crate) struct Defaults {
    /// The scheduler.
    pub(crate) scheduler: SchedulerName,
    /// The schedulers that `portfolio` stands for.
    pub(crate) portfolio: Vec<SchedulerName>,
}

/// The strategies that the flags name, or the contradiction between flags.
pub(crate) fn strategies(arguments: &Check, defaults: &Defaults) -> Result<Vec<StrategyName>, String> {
    let Check { delays, scheduler, seed, .. } = arguments;
    if let Some(baseline) = &arguments.bounded.0 {
        if baseline.unit() == Unit::Nothing && delays.is_some() {
            return Err(format!("--delays is a bound, and `--bounded {baseline}` has none"));
        }
        if scheduler.is_some() || seed.is_some() {
            let why = "only delays deviate from an order";
            return Err(format!("--scheduler and --seed go with `--bounded delays`: {why}"));
        }
        return Ok(vec![baseline.clone()]);
    }
    let text = scheduler.clone().unwrap_or_else(|| defaults.scheduler.to_string());
    let context = ListContext { portfolio: &defaults.portfolio, seed: *seed };
    let list = Vocabulary::SCHEDULERS.parse_list(&text, context).map_err(|error| error.to_string())?;
    if seed.is_some() && !list.uses_seed {
        let why = if text.contains("random:") { "has a seed already" } else { "makes no random choices" };
        return Err(format!("--seed goes with `--scheduler random`: `{text}` {why}"));
    }
    let limited = delays.is_some() || arguments.time.is_some();
    match list.strategies.iter().find(|strategy| is_endless(strategy)) {
        Some(name) if arguments.exact && !limited => Err(format!(
            "with --exact, `{name}` never runs out of delays: give the most with --delays, or a --time"
        )),
        _ => Ok(list.strategies),
    }
}

/// True for schedulers whose state counts rounds or steps, so that an exact search never ends.
fn is_endless(strategy: &StrategyName) -> bool {
    use SchedulerName::{Df, Dfw, Pct};
    matches!(strategy, StrategyName::Delays(Df | Dfw | Pct { .. }))
}

/// A search for failures, or for cycles as well.
pub(crate) struct Searcher<'a, P> {
    pub(crate) program: &'a P,
    pub(crate) options: Options,
    pub(crate) liveness: Option<Liveness>,
    pub(crate) monitor: &'a Monitor,
}

impl<P: Program> Searcher<'_, P> {
    /// Searches under the strategies, bound by bound.
    pub(crate) fn run(mut self, strategies: &[StrategyName]) -> Report {
        self.options = self.options.shared_by(strategies.len());
        let delays: Vec<Delays> =
            strategies.iter().filter_map(StrategyName::scheduler).map(Delays::named).collect();
        let mut delays = delays.iter();
        let searches = strategies.iter().map(|strategy| match strategy {
            StrategyName::Preemptions => self.under(&Preemptions(Switches::Preemptive)),
            StrategyName::Contexts => self.under(&Preemptions(Switches::All)),
            StrategyName::Depth => self.under(&Depth),
            StrategyName::Exhaustive => self.under(&Exhaustive),
            StrategyName::Delays(_) | StrategyName::Custom(_) => {
                delays.next().map_or_else(|| self.under(&Exhaustive), |policy| self.under(policy))
            }
        });
        side_by_side(searches.collect())
            .unwrap_or_else(|| Search::new(self.program, &Exhaustive, &self.options, self.monitor).run())
    }

    fn under<'s, O: Policy>(&'s self, policy: &'s O) -> Box<dyn Deepen + 's> {
        let Searcher { program, options, liveness, monitor } = self;
        match liveness {
            None => Box::new(Search::new(*program, policy, options, *monitor)),
            Some(liveness) => Box::new(Cycles::new(*program, policy, options, *liveness, *monitor)),
        }
    }
}
