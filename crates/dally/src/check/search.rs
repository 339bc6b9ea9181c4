//! The strategies that the flags name, and the search under them.

use dally_explore::policy::Policy;
use dally_explore::{
    Cycles, Deepen, Delays, Depth, Exhaustive, Liveness, Options, Preemptions, Program, Report,
    SchedulerName, Search, StrategyName, Switches, Unit, side_by_side,
};
use dally_schedule::{ListContext, Vocabulary};

use super::monitor::Monitor;
use crate::cli::Check;
use crate::language::Language;

/// The strategies that the flags name, or the contradiction between flags.
pub(crate) fn strategies(arguments: &Check, language: &Language) -> Result<Vec<StrategyName>, String> {
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
    let text = scheduler.clone().unwrap_or_else(|| language.scheduler.to_string());
    let portfolio = (language.portfolio)();
    let context = ListContext { portfolio: &portfolio, seed: *seed };
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

/// A search for failures, or for cycles as well, in any program.
pub(crate) struct Plan {
    /// Several strategies run side by side, under one bound.
    pub(crate) strategies: Vec<StrategyName>,
    pub(crate) options: Options,
    /// The method of the search for cycles, if there is one.
    pub(crate) liveness: Option<Liveness>,
}

impl Plan {
    /// Searches a program, bound by bound. The monitor ends the search at a limit.
    pub(crate) fn search<P: Program>(&self, program: &P, monitor: &Monitor) -> Report {
        let options = self.options.shared_by(self.strategies.len());
        let one = Searcher { program, options, liveness: self.liveness, monitor };
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
        side_by_side(searches.collect())
            .unwrap_or_else(|| Search::new(program, &Exhaustive, &one.options, monitor).run())
    }
}

/// The arguments that all searches of a plan share.
struct Searcher<'a, P> {
    program: &'a P,
    options: Options,
    liveness: Option<Liveness>,
    monitor: &'a Monitor,
}

impl<P: Program> Searcher<'_, P> {
    fn under<'s, O: Policy>(&'s self, policy: &'s O) -> Box<dyn Deepen + 's> {
        let Searcher { program, options, liveness, monitor } = self;
        match liveness {
            None => Box::new(Search::new(*program, policy, options, *monitor)),
            Some(liveness) => Box::new(Cycles::new(*program, policy, options, *liveness, *monitor)),
        }
    }
}
