//! The strategies that the flags name.

use dally_explore::{SchedulerName, StrategyName, Unit};
use dally_schedule::{ListContext, Vocabulary};

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
    if seed.is_some() && !list.uses_seed && arguments.sample.is_none() {
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
    fn counts(scheduler: &SchedulerName) -> bool {
        use SchedulerName::{Df, Dfw, Pct, Priority};
        match scheduler {
            Df | Dfw | Pct { .. } => true,
            Priority(inner) => counts(inner),
            _ => false,
        }
    }
    matches!(strategy, StrategyName::Delays(scheduler) if counts(scheduler))
}
