//! The schedulers of a user, beside those of the table.

use dally_schedule::rules::RuleSet;
use dally_schedule::{OwnScheduler, SchedulerName, StrategyName};

/// The schedulers that the program which embeds dally adds.
#[derive(Clone, Debug, Default)]
pub(crate) struct OwnSchedulers(pub(crate) Vec<OwnScheduler>);

impl OwnSchedulers {
    fn named(&self, name: &str) -> Option<SchedulerName> {
        self.0.iter().find(|own| own.name() == name).map(|own| own.clone().into())
    }

    /// The scheduler of this name.
    pub(crate) fn parse(&self, name: &str) -> Result<SchedulerName, String> {
        let parsed = || name.parse::<SchedulerName>().map_err(|error| error.to_string());
        self.named(name.trim()).map_or_else(parsed, Ok)
    }

    /// The strategy of a trace: its name may be that of a user's scheduler, alone or with rules around it.
    pub(crate) fn resolve(&self, strategy: StrategyName) -> StrategyName {
        let StrategyName::Custom(name) = &strategy else { return strategy };
        let found = self.named(name).or_else(|| {
            let (base, rules) = name.split_once(" with ")?;
            self.named(base)?.with_rules(rules.parse::<RuleSet>().ok()?).ok()
        });
        found.map_or(strategy, StrategyName::Delays)
    }
}
