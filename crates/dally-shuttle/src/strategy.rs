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
    search: Kind,
}

/// How the executions of a strategy are enumerated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// All, by their cost.
    All,
    /// Executions with delays before conflicting operations, by their cost.
    Conflicting,
    /// One of each trace.
    Traces,
}

/// The names that can be used on shuttle.
const NAMES: Vocabulary = Vocabulary { noun: "strategy", excluded };

/// The strategies of this crate that are not schedulers.
const DPOR: &str = "dpor";
const CONFLICTS: &str = "conflicts";

/// The name in `conflicts(name)`.
fn conflicts_of(text: &str) -> Option<&str> {
    text.strip_prefix(CONFLICTS)?.strip_prefix('(')?.strip_suffix(')')
}

fn is_ours(name: &str) -> bool {
    name == DPOR || conflicts_of(name).is_some()
}

/// The parts between the commas that are in no parentheses.
fn parts(names: &str) -> impl Iterator<Item = &str> {
    let mut depth = 0_usize;
    names.split(move |c| {
        match c {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        c == ',' && depth == 0
    })
}

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
        Self { name, build: Arc::new(build), search: Kind::All }
    }

    /// Iterative preemption bounding: the baseline.
    pub fn preemptions() -> Self {
        let build = || -> Box<dyn Policy> { Box::new(Preemptions::default()) };
        Self { name: StrategyName::Preemptions, build: Arc::new(build), search: Kind::All }
    }

    /// Schedulers that complement each other: each finds with few delays what costs another one many.
    pub fn portfolio() -> Vec<Self> {
        SchedulerName::portfolio().iter().map(Self::scheduler).collect()
    }

    /// `dpor`: dynamic partial-order reduction, a complete search that runs one execution of all those that differ only in
    /// the order of operations that commute. It knows the operations of [`sync`](crate::sync) and
    /// [`thread`](crate::thread) of this crate; a test that uses none of them is not searched.
    pub fn dpor() -> Self {
        Self { name: StrategyName::Custom(DPOR.to_owned()), search: Kind::Traces, ..Self::default() }
    }

    /// `conflicts(S)`: the delays of a strategy, but only before operations that conflict with what another task does
    /// later. Many executions with as many delays are not run, so it finds bugs, and proves nothing.
    #[must_use]
    pub fn conflicts(of: &Self) -> Self {
        let name = StrategyName::Custom(format!("{CONFLICTS}({})", of.name));
        Self { name, search: Kind::Conflicting, ..of.clone() }
    }

    /// Several strategies by name, separated by commas; `portfolio` stands for all of [`Strategy::portfolio`].
    pub fn list(names: &str) -> Result<Vec<Self>, NameError> {
        let ours: Vec<&str> = parts(names).map(str::trim).filter(|name| is_ours(name)).collect();
        let others: Vec<&str> = parts(names).filter(|name| !is_ours(name.trim())).collect();
        let mut list = Vec::new();
        if ours.is_empty() || !others.is_empty() {
            let portfolio = SchedulerName::portfolio();
            let context = ListContext { portfolio: &portfolio, ..ListContext::default() };
            let parsed = NAMES.parse_list(&others.join(","), context)?;
            list = parsed.strategies.iter().map(Self::try_from).collect::<Result<_, _>>()?;
        }
        for name in ours {
            list.push(name.parse()?);
        }
        Ok(list)
    }

    /// How the names of strategies are written; parameters are in capitals.
    pub fn forms() -> impl Iterator<Item = &'static str> {
        NAMES.forms().chain([DPOR, "conflicts(S)"])
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

    pub(crate) fn kind(&self) -> Kind {
        self.search
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
        let text = text.trim();
        if text == DPOR {
            return Ok(Self::dpor());
        }
        match conflicts_of(text) {
            Some(of) => Ok(Self::conflicts(&Self::try_from(&NAMES.parse(of)?)?)),
            None => Self::try_from(&NAMES.parse(text)?),
        }
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
