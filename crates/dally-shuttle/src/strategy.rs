//! Strategies by name: the delaying schedulers, and preemption bounding.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use dally_schedule::{Arrangement, DelayingScheduler, Name, NameError, Random, Rr, Rtc};

use crate::policy::{Delays, Policy, Preemptions};

/// The name of preemption bounding.
pub(crate) const PREEMPTIONS: &str = "preemptions";

/// An order of tasks, and what it costs to depart from it.
///
/// It is parsed from the name of a delaying scheduler (`rr`, `rr:reverse`, `rr:SEED`, `rtc`, `dfs`, `df`, `dfw`,
/// `random:SEED`, `priority(S)`, `pct:SEED,D`), or `preemptions`; or made from any [`DelayingScheduler`].
#[derive(Clone)]
pub struct Strategy {
    name: String,
    unit: &'static str,
    build: Arc<dyn Fn() -> Box<dyn Policy> + Send + Sync>,
}

impl Strategy {
    /// Delays of a scheduler, given empty. The name is what schedules call it by.
    pub fn delaying<S>(name: impl Into<String>, empty: S) -> Self
    where
        S: DelayingScheduler + Send + Sync + 'static,
    {
        Self::delays_of(name.into(), empty, true)
    }

    fn delays_of<S>(name: String, empty: S, levels: bool) -> Self
    where
        S: DelayingScheduler + Send + Sync + 'static,
    {
        let build = move || -> Box<dyn Policy> { Box::new(Delays::new(empty.clone(), levels)) };
        Self { name, unit: "delay", build: Arc::new(build) }
    }

    /// Iterative preemption bounding: the baseline.
    pub fn preemptions() -> Self {
        let build = || -> Box<dyn Policy> { Box::new(Preemptions::default()) };
        Self { name: PREEMPTIONS.to_owned(), unit: "preemption", build: Arc::new(build) }
    }

    /// Schedulers that complement each other: each finds with few delays what costs another many.
    pub fn portfolio() -> Vec<Self> {
        Name::portfolio().iter().map(Self::named).collect()
    }

    /// Several strategies by name, separated by commas; `portfolio` is all of [`Strategy::portfolio`].
    pub fn list(names: &str) -> Result<Vec<Self>, StrategyError> {
        // The comma within `pct:SEED,D` is followed by a digit, which no name begins with.
        let mut list = Vec::new();
        let mut rest = names;
        while !rest.is_empty() {
            let end =
                rest.match_indices(',').map(|(at, _)| at).find(|at| !starts_with_digit(&rest[at + 1..]));
            let (name, more) = end.map_or((rest, ""), |at| (&rest[..at], &rest[at + 1..]));
            match name.trim() {
                "portfolio" => list.extend(Self::portfolio()),
                name => list.push(name.parse()?),
            }
            rest = more;
        }
        if list.is_empty() { Err(StrategyError::NoName) } else { Ok(list) }
    }

    fn named(name: &Name) -> Self {
        let text = name.to_string();
        // The detour over whichever scheduler it is would make each step dearer.
        match name {
            Name::Rr(arrangement) => Self::delays_of(text, Rr::new(*arrangement), false),
            Name::Rtc => Self::delays_of(text, Rtc::default(), false),
            Name::Random(seed) => Self::delays_of(text, Random::new(*seed), false),
            _ => Self::delays_of(text, name.build(), matches!(name, Name::Priority(_))),
        }
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What it counts: `delay` or `preemption`.
    pub(crate) fn unit(&self) -> &'static str {
        self.unit
    }

    pub(crate) fn policy(&self) -> Box<dyn Policy> {
        (self.build)()
    }
}

impl Default for Strategy {
    /// `rr`.
    fn default() -> Self {
        Self::named(&Name::Rr(Arrangement::Creation))
    }
}

/// A list of schedulers, without those that have no delays to bound.
fn without_bags(message: &str) -> String {
    let bags = Name::FORMS.iter().filter(|form| form.contains("bag"));
    bags.fold(message.to_owned(), |text, bag| text.replace(&format!("`{bag}`, "), ""))
}

fn starts_with_digit(text: &str) -> bool {
    text.trim_start().starts_with(|first: char| first.is_ascii_digit())
}

impl fmt::Debug for Strategy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Strategy").field(&self.name).finish()
    }
}

impl fmt::Display for Strategy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)
    }
}

impl FromStr for Strategy {
    type Err = StrategyError;

    fn from_str(text: &str) -> Result<Self, StrategyError> {
        if text.trim() == PREEMPTIONS {
            return Ok(Self::preemptions());
        }
        let name: Name = text.parse().map_err(StrategyError::Unknown)?;
        if name.build().delay_cost() == 0 {
            return Err(StrategyError::NoDelays(name));
        }
        Ok(Self::named(&name))
    }
}

/// Text that names no strategy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StrategyError {
    /// There is no such scheduler.
    Unknown(NameError),
    /// Every order of tasks is free under this scheduler.
    NoDelays(Name),
    /// The list is empty.
    NoName,
}

impl fmt::Display for StrategyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unknown(error) => write!(f, "{}; or `{PREEMPTIONS}`", without_bags(&error.to_string())),
            Self::NoDelays(name) => {
                write!(f, "`{name}` has no delays to bound: use `shuttle::check_dfs` to try every order")
            }
            Self::NoName => f.write_str("no strategy is named"),
        }
    }
}

impl std::error::Error for StrategyError {}
