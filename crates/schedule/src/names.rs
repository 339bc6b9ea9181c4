//! Strategies as typed values: what a search follows and counts, with its parameters.
//!
//! A strategy prints as its name (`rr:reverse`, `pct:7,3`, `preemptions`), and [the table](crate::table) reads
//! the name back.

use std::fmt;

use crate::rules::{RuleSet, Ruled};
use crate::{
    Arrangement, Bag, BoundedBag, Df, NameError, OwnScheduler, Pct, Priority, Random, Rr, Rtc, Scheduler,
};

/// Between the name of a scheduler and its rules.
pub(crate) const WITH: &str = " with ";

/// A scheduler of this crate, with its parameters. It prints as its name, and is parsed from it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum SchedulerName {
    /// `bag`: every enabled task is a choice.
    Bag,
    /// `bounded-bag:N`: the bag that drops the N+1st copy of a task.
    BoundedBag(usize),
    /// `rr`, `rr:reverse`, `rr:SEED`: round-robin.
    Rr(Arrangement),
    /// `dfs`: depth-first, a yielding task after its children.
    Dfs,
    /// `dfs:reverse`: depth-first, the children of a task in reverse order.
    ReverseDfs,
    /// `df`: depth-first by rounds.
    Df,
    /// `dfw`: depth-first by rounds; waiting tasks are not proposed.
    Dfw,
    /// `rtc`: run to completion.
    Rtc,
    /// `random:SEED`: a pseudo-random order at each state.
    Random(u64),
    /// `priority(S)`: the highest level first, then S.
    Priority(Box<SchedulerName>),
    /// `pct:SEED,D`: random priorities with D change points.
    Pct {
        /// The seed of the priorities and of the change points.
        seed: u64,
        /// The number of change points.
        changes: u32,
    },
    /// `S with RULES`: the scheduler S, and rules that change its order.
    Ruled(Box<SchedulerName>, RuleSet),
    /// A scheduler of the user.
    Own(OwnScheduler),
}

impl From<OwnScheduler> for SchedulerName {
    fn from(own: OwnScheduler) -> Self {
        Self::Own(own)
    }
}

impl SchedulerName {
    /// Schedulers that complement each other: each finds with few delays what costs another one many.
    pub fn portfolio() -> Vec<Self> {
        vec![Self::Rr(Arrangement::Creation), Self::Rr(Arrangement::Reverse), Self::Rtc, Self::Random(1)]
    }

    /// The portfolio of \[TR15\], for programs whose tasks send messages.
    pub fn message_portfolio() -> Vec<Self> {
        vec![Self::Rtc, Self::Rr(Arrangement::Creation), Self::Random(1)]
    }

    /// The scheduler of this name, empty.
    pub fn build(&self) -> Scheduler {
        match self {
            Self::Bag => Scheduler::Bag(Bag::default()),
            Self::BoundedBag(bound) => Scheduler::BoundedBag(Box::new(BoundedBag::new(*bound))),
            Self::Rr(arrangement) => Scheduler::Rr(Rr::new(*arrangement)),
            Self::Dfs => Scheduler::Dfs(Box::default()),
            Self::ReverseDfs => Scheduler::Dfs(Box::new(crate::Dfs::reverse())),
            Self::Df => Scheduler::Df(Df::default()),
            Self::Dfw => Scheduler::Dfw(Box::default()),
            Self::Rtc => Scheduler::Rtc(Rtc::default()),
            Self::Random(seed) => Scheduler::Random(Random::new(*seed)),
            Self::Priority(inner) => Scheduler::Priority(Box::new(Priority::new(inner.build()))),
            Self::Pct { seed, changes } => Scheduler::Pct(Box::new(Pct::new(*seed, *changes))),
            Self::Ruled(base, rules) => Scheduler::Ruled(Box::new(Ruled::new(base.build(), rules.clone()))),
            Self::Own(own) => Scheduler::Own(own.build()),
        }
    }

    /// This scheduler, with rules around it. Rules about a scheduler under which every order is free would change nothing.
    pub fn with_rules(self, rules: RuleSet) -> Result<Self, NameError> {
        match self.innermost() {
            Self::Bag | Self::BoundedBag(_) => {
                let message =
                    format!("rules change the order of a scheduler, and under `{self}` every order is free");
                Err(NameError::new(message))
            }
            _ if matches!(self, Self::Ruled(..)) => {
                Err(NameError::new(format!("`{self}` has rules already")))
            }
            _ => Ok(Self::Ruled(Box::new(self), rules)),
        }
    }

    /// The scheduler without the wrappers around it.
    pub fn innermost(&self) -> &Self {
        let mut scheduler = self;
        while let Self::Priority(inner) | Self::Ruled(inner, _) = scheduler {
            scheduler = inner;
        }
        scheduler
    }
}

impl fmt::Display for SchedulerName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bag => f.write_str("bag"),
            Self::BoundedBag(bound) => write!(f, "bounded-bag:{bound}"),
            Self::Rr(Arrangement::Creation) => f.write_str("rr"),
            Self::Rr(Arrangement::Reverse) => f.write_str("rr:reverse"),
            Self::Rr(Arrangement::Seeded(seed)) => write!(f, "rr:{seed}"),
            Self::Dfs => f.write_str("dfs"),
            Self::ReverseDfs => f.write_str("dfs:reverse"),
            Self::Df => f.write_str("df"),
            Self::Dfw => f.write_str("dfw"),
            Self::Rtc => f.write_str("rtc"),
            Self::Random(seed) => write!(f, "random:{seed}"),
            Self::Priority(inner) => write!(f, "priority({inner})"),
            Self::Pct { seed, changes } => write!(f, "pct:{seed},{changes}"),
            Self::Ruled(base, rules) => write!(f, "{base}{WITH}{rules}"),
            Self::Own(own) => f.write_str(own.name()),
        }
    }
}

/// The strategy of a search: its order and its cost. It prints as its name, and is parsed from it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum StrategyName {
    /// Delays of a scheduler of this crate.
    Delays(SchedulerName),
    /// `preemptions`: switches away from a task that is still enabled.
    Preemptions,
    /// `contexts`: all switches.
    Contexts,
    /// `depth`: steps.
    Depth,
    /// `nothing`: every enabled task is proposed at no cost.
    Exhaustive,
    /// A scheduler that is implemented outside of this crate. Its name says no more, so it is never parsed: see
    /// [`StrategyName::known_or_custom`].
    Custom(String),
}

impl StrategyName {
    /// The strategy of this name, or a [custom](Self::Custom) one.
    pub fn known_or_custom(text: &str) -> Self {
        text.parse().unwrap_or_else(|_| Self::Custom(text.trim().to_owned()))
    }

    /// The delaying scheduler whose order the strategy follows, if it is one of this crate.
    pub fn scheduler(&self) -> Option<&SchedulerName> {
        match self {
            Self::Delays(scheduler) => Some(scheduler),
            _ => None,
        }
    }

    /// True if the scheduler may drop tasks that are posted.
    pub fn drops_tasks(&self) -> bool {
        matches!(self.scheduler().map(SchedulerName::innermost), Some(SchedulerName::BoundedBag(_)))
    }

    /// The unit of a bound.
    pub fn unit(&self) -> Unit {
        match self {
            Self::Delays(_) | Self::Custom(_) => Unit::Delay,
            Self::Preemptions => Unit::Preemption,
            Self::Contexts => Unit::Switch,
            Self::Depth => Unit::Step,
            Self::Exhaustive => Unit::Nothing,
        }
    }
}

impl From<SchedulerName> for StrategyName {
    fn from(scheduler: SchedulerName) -> Self {
        Self::Delays(scheduler)
    }
}

impl fmt::Display for StrategyName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Delays(scheduler) => scheduler.fmt(f),
            Self::Preemptions => f.write_str("preemptions"),
            Self::Contexts => f.write_str("contexts"),
            Self::Depth => f.write_str("depth"),
            Self::Exhaustive => f.write_str("nothing"),
            Self::Custom(name) => f.write_str(name),
        }
    }
}

/// The unit of a bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Unit {
    /// Deviations from the order of a scheduler.
    Delay,
    /// Switches away from a task that is still enabled.
    Preemption,
    /// Switches between tasks.
    Switch,
    /// Steps.
    Step,
    /// There is no bound.
    Nothing,
}

impl Unit {
    /// A number of these, in words: `1 delay`, `2 preemptions`.
    pub fn count(self, number: u32) -> String {
        if self == Self::Nothing {
            return self.to_string();
        }
        format!(
            "{number} {self}{}",
            if number == 1 {
                ""
            } else if self == Self::Switch {
                "es"
            } else {
                "s"
            }
        )
    }
}

impl fmt::Display for Unit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Delay => "delay",
            Self::Preemption => "preemption",
            Self::Switch => "context switch",
            Self::Step => "step",
            Self::Nothing => "any schedule",
        })
    }
}
