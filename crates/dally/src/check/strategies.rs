//! The strategies that the flags name.

use dally_explore::{SchedulerName, StrategyName, Unit};
use dally_schedule::{ListContext, Vocabulary};

use super::sample;
use crate::cli::Check;
use crate::language::Language;
use crate::own::OwnSchedulers;
use crate::rules::Rules;

/// The strategies that the flags name, or the contradiction between flags.
pub(crate) fn strategies(
    arguments: &Check,
    language: &Language,
    own: &OwnSchedulers,
    rules: Option<&Rules>,
) -> Result<Vec<StrategyName>, String> {
    let strategies = without_rules(arguments, language, own)?;
    match rules {
        Some(rules) => rules.around(strategies),
        None => Ok(strategies),
    }
}

/// The strategies, before rules change their order.
fn without_rules(
    arguments: &Check,
    language: &Language,
    own: &OwnSchedulers,
) -> Result<Vec<StrategyName>, String> {
    let Check { delays, scheduler, seed, .. } = arguments;
    if arguments.exact && arguments.cost_of_choices() > 0 {
        return Err(
            "--exact covers the executions with a number of delays, whatever they choose: it does not go \
                    with --choice-cost"
                .to_owned(),
        );
    }
    if let Some(baseline) = &arguments.bounded.0 {
        if baseline.unit() == Unit::Nothing && (delays.is_some() || arguments.bound.is_some()) {
            let flag = if delays.is_some() { "--delays" } else { "--bound" };
            return Err(format!("{flag} is a bound, and `--bounded {baseline}` has none"));
        }
        if scheduler.is_some() || seed.is_some() {
            let why = "only delays deviate from an order";
            return Err(format!("--scheduler and --seed go with `--bounded delays`: {why}"));
        }
        return Ok(vec![baseline.clone()]);
    }
    let text = scheduler.clone().unwrap_or_else(|| language.scheduler.to_string());
    let portfolio = (language.portfolio)();
    let context = ListContext { portfolio: &portfolio, seed: *seed, own: &own.0 };
    let list = Vocabulary::SCHEDULERS.parse_list(&text, context).map_err(|error| error.to_string())?;
    let is_ambiguous = text.contains("random:") && arguments.sample.is_none();
    if seed.is_some() && !list.uses_seed && (is_ambiguous || !sample::is_possible(arguments)) {
        let why = if text.contains("random:") { "has a seed already" } else { "makes no random choices" };
        return Err(format!("--seed goes with `--scheduler random`: `{text}` {why}"));
    }
    if !arguments.exact || arguments.time.is_some() {
        return Ok(list.strategies);
    }
    for strategy in &list.strategies {
        match endless(strategy) {
            Some(Counter::Steps) => {
                return Err(format!(
                    "with --exact, a search with `{strategy}` may never end: the state of `{strategy}` includes the \
                     number of steps, so that no state is visited twice; leave out --exact, or give a --time, such as 1m"
                ));
            }
            Some(Counter::Rounds) if delays.is_none() => {
                return Err(format!(
                    "with --exact and without a bound, a search with `{strategy}` never ends: the state of `{strategy}` \
                     includes the round of each task, which every delay raises; bound the delays, such as --delays 2, or \
                     give a --time, such as 1m, or leave out --exact"
                ));
            }
            _ => {}
        }
    }
    Ok(list.strategies)
}

/// A counter in the state of a scheduler, which makes the state space of an exact search infinite.
enum Counter {
    /// Every delay raises it: a bound on delays ends the search.
    Rounds,
    /// Every step raises it.
    Steps,
}

fn endless(strategy: &StrategyName) -> Option<Counter> {
    fn counts(scheduler: &SchedulerName) -> Option<Counter> {
        use SchedulerName::{Df, Dfw, Pct, Priority, Ruled};
        match scheduler {
            Df | Dfw => Some(Counter::Rounds),
            Pct { .. } => Some(Counter::Steps),
            Priority(inner) | Ruled(inner, _) => counts(inner),
            _ => None,
        }
    }
    match strategy {
        StrategyName::Delays(scheduler) => counts(scheduler),
        _ => None,
    }
}
