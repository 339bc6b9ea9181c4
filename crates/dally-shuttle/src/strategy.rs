//! Strategies that can be run on shuttle: delays of any scheduler, and preemption bounding.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use dally_schedule::table::{Family, Row};
use dally_schedule::{
    Arrangement, DelayingScheduler, ListContext, NameError, Random, Rr, Rtc, SchedulerName, StrategyName,
    Unit, Vocabulary,
};

use crate::policy::{Delays, Policy, Preemptions};

/// An order of tasks, and the cost of deviating from it.
///
/// It is parsed from a [name](Strategy::forms): that of a delaying scheduler, or `preemptions`. Any
/// [`DelayingScheduler`] can be made one with [`Strategy::delaying`].
#[derive(Clone)]
pub struct Strategy {
    name: StrategyName,
    build: Arc<dyn Fn() -> Box<dyn Policy> + Send + Sync>,
}

/// The names that can be used on shuttle.
const NAMES: Vocabulary = Vocabulary { noun: "strategy", excluded };

fn excluded(row: &Row) -> Option<&'static str> {
    match row.family {
        Family::Delaying => None,
        Family::Free => Some("it has no delays to bound; `shuttle::check_dfs` runs every order"),
        Family::Baseline if row.keyword == "preemptions" => None,
        Family::Baseline => Some("dally-shuttle bounds delays or preemptions"),
    }
}

impl Strategy {
    /// Delays of a scheduler, given empty. The name stands for it in schedules.
    pub fn delaying<S>(name: &str, empty: S) -> Self
    where
        S: DelayingScheduler + Send + Sync + 'static,
    {
        Self::delays_of(StrategyName::known_or_custom(name), empty, true)
    }

    fn delays_of<S>(name: StrategyName, empty: S, levels: bool) -> Self
    where
        S: DelayingScheduler + Send + Sync + 'static,
    {
        let build = move || -> Box<dyn Policy> { Box::new(Delays::new(empty.clone(), levels)) };
        Self { name, build: Arc::new(build) }
    }

    /// Iterative preemption bounding: the baseline.
    pub fn preemptions() -> Self {
        let build = || -> Box<dyn Policy> { Box::new(Preemptions::default()) };
        Self { name: StrategyName::Preemptions, build: Arc::new(build) }
    }

    /// Schedulers that complement each other: each finds with few delays what costs another one many.
    pub fn portfolio() -> Vec<Self> {
        SchedulerName::portfolio().iter().map(Self::scheduler).collect()
    }

    /// Several strategies by name, separated by commas; `portfolio` stands for all of [`Strategy::portfolio`].
    pub fn list(names: &str) -> Result<Vec<Self>, NameError> {
        let portfolio = SchedulerName::portfolio();
        let context = ListContext { portfolio: &portfolio, ..ListContext::default() };
        NAMES.parse_list(names, context)?.strategies.iter().map(Self::try_from).collect()
    }

    /// How the names of strategies are written; parameters are in capitals.
    pub fn forms() -> impl Iterator<Item = &'static str> {
        NAMES.forms()
    }

    fn scheduler(scheduler: &SchedulerName) -> Self {
        let name = StrategyName::Delays(scheduler.clone());
        // The common schedulers are built by themselves: dispatch over all schedulers would cost time at each step.
        match scheduler {
            SchedulerName::Rr(arrangement) => Self::delays_of(name, Rr::new(*arrangement), false),
            SchedulerName::Rtc => Self::delays_of(name, Rtc::default(), false),
            SchedulerName::Random(seed) => Self::delays_of(name, Random::new(*seed), false),
            other => Self::delays_of(name, other.build(), matches!(other, SchedulerName::Priority(_))),
        }
    }

    /// Its name.
    pub fn name(&self) -> &StrategyName {
        &self.name
    }

    /// The unit of its bound: delays or preemptions.
    pub fn unit(&self) -> Unit {
        self.name.unit()
    }

    pub(crate) fn policy(&self) -> Box<dyn Policy> {
        (self.build)()
    }
}

impl Default for Strategy {
    /// `rr`.
    fn default() -> Self {
        Self::scheduler(&SchedulerName::Rr(Arrangement::Creation))
    }
}

impl fmt::Debug for Strategy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Strategy").field(&self.name).finish()
    }
}

impl fmt::Display for Strategy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.name.fmt(f)
    }
}

impl FromStr for Strategy {
    type Err = NameError;

    fn from_str(text: &str) -> Result<Self, NameError> {
        Self::try_from(&NAMES.parse(text)?)
    }
}

impl TryFrom<&StrategyName> for Strategy {
    type Error = NameError;

    fn try_from(name: &StrategyName) -> Result<Self, NameError> {
        // The vocabulary has no other baseline.
        Ok(match NAMES.parse(&name.to_string())? {
            StrategyName::Delays(scheduler) => Self::scheduler(&scheduler),
            _ => Self::preemptions(),
        })
    }
}
