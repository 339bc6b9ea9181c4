//! The table of strategies: how each is written, and what it does.
//!
//! Parsing, help and the tables of the documentation follow from it. A name is a keyword, with a parameter after a
//! colon or, for schedulers that wrap another one, in parentheses: `rr`, `rr:reverse`, `pct:7,3`, `priority(rtc)`.

use std::str::FromStr;

use crate::pct::HORIZON;
use crate::vocabulary::{NameError, Vocabulary};
use crate::{Arrangement, SchedulerName, StrategyName};

/// The kinds of strategies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Family {
    /// A scheduler from whose order delays deviate.
    Delaying,
    /// A scheduler under which every order is free.
    Free,
    /// A baseline without a scheduler.
    Baseline,
}

/// A strategy, or several that differ in their parameters.
#[derive(Debug)]
pub struct Row {
    /// The word that its names begin with.
    pub keyword: &'static str,
    /// How its names are written; parameters are in capitals.
    pub forms: &'static [&'static str],
    /// The kind of strategy.
    pub family: Family,
    /// The order in which tasks run.
    pub order: &'static str,
    /// The effect of a deviation from that order.
    pub deviation: &'static str,
    /// Reads the parameter.
    pub(crate) read: fn(Parameter<'_>) -> Result<StrategyName, Problem>,
}

/// All strategies.
pub const STRATEGIES: &[Row] = &[
    Row {
        keyword: "rr",
        forms: &["rr", "rr:reverse", "rr:SEED"],
        family: Family::Delaying,
        order: "tasks in the order of their creation, its reverse, or a permutation of it; a task continues until it \
                completes or blocks",
        deviation: "continues with the next task",
        read: |parameter| scheduler(round_robin(parameter)?),
    },
    Row {
        keyword: "dfs",
        forms: &["dfs", "dfs:reverse"],
        family: Family::Delaying,
        order: "depth-first along posts, in their order or its reverse; a yielding task resumes after the tasks that it has \
                posted",
        deviation: "moves the task to the next round",
        read: |parameter| match parameter {
            Parameter::Value("reverse") => scheduler(SchedulerName::ReverseDfs),
            Parameter::Value(_) => Err(Problem::new("the parameter is `reverse`", "dfs:reverse")),
            other => other.absent(SchedulerName::Dfs),
        },
    },
    Row {
        keyword: "df",
        forms: &["df"],
        family: Family::Delaying,
        order: "depth-first along posts; a yielding task resumes before the tasks that it has posted",
        deviation: "moves the task to the next round",
        read: |parameter| parameter.absent(SchedulerName::Df),
    },
    Row {
        keyword: "dfw",
        forms: &["dfw"],
        family: Family::Delaying,
        order: "as df, but the subtasks of a waiting task run first, at no cost",
        deviation: "moves the task to the next round",
        read: |parameter| parameter.absent(SchedulerName::Dfw),
    },
    Row {
        keyword: "rtc",
        forms: &["rtc"],
        family: Family::Delaying,
        order: "run to completion: the task that was last posted, or sent a message, runs next",
        deviation: "moves the task from the top of the stack to its bottom",
        read: |parameter| parameter.absent(SchedulerName::Rtc),
    },
    Row {
        keyword: "random",
        forms: &["random:SEED"],
        family: Family::Delaying,
        order: "a new pseudo-random order at each state",
        deviation: "continues with the next task",
        read: |parameter| match parameter {
            Parameter::None => scheduler(SchedulerName::Random(0)),
            given => scheduler(SchedulerName::Random(given.number("random:42")?)),
        },
    },
    Row {
        keyword: "priority",
        forms: &["priority(S)"],
        family: Family::Delaying,
        order: "the highest level first, then as the scheduler S",
        deviation: "as S, within the level",
        read: |parameter| scheduler(priority(parameter)?),
    },
    Row {
        keyword: "pct",
        forms: &["pct:SEED,D"],
        family: Family::Delaying,
        order: "random priorities, of which D change",
        deviation: "gives the task the lowest priority",
        read: |parameter| scheduler(pct(parameter)?),
    },
    Row {
        keyword: "bag",
        forms: &["bag"],
        family: Family::Free,
        order: "every order",
        deviation: "is free",
        read: |parameter| parameter.absent(SchedulerName::Bag),
    },
    Row {
        keyword: "bounded-bag",
        forms: &["bounded-bag:N"],
        family: Family::Free,
        order: "every order; tasks posted while N copies of them are pending are dropped, and the verdict says so",
        deviation: "is free",
        read: |parameter| scheduler(bounded_bag(parameter)?),
    },
    Row {
        keyword: "preemptions",
        forms: &["preemptions"],
        family: Family::Baseline,
        order: "the current task while it is enabled, then any other",
        deviation: "switches away from a task that is still enabled",
        read: |parameter| parameter.absent(StrategyName::Preemptions),
    },
    Row {
        keyword: "contexts",
        forms: &["contexts"],
        family: Family::Baseline,
        order: "the current task",
        deviation: "switches to another task",
        read: |parameter| parameter.absent(StrategyName::Contexts),
    },
    Row {
        keyword: "depth",
        forms: &["depth"],
        family: Family::Baseline,
        order: "every order",
        deviation: "is a step",
        read: |parameter| parameter.absent(StrategyName::Depth),
    },
    Row {
        keyword: "nothing",
        forms: &["nothing"],
        family: Family::Baseline,
        order: "every order",
        deviation: "is free",
        read: |parameter| parameter.absent(StrategyName::Exhaustive),
    },
];

impl FromStr for StrategyName {
    type Err = NameError;

    fn from_str(text: &str) -> Result<Self, NameError> {
        Vocabulary::STRATEGIES.parse(text)
    }
}

impl FromStr for SchedulerName {
    type Err = NameError;

    fn from_str(text: &str) -> Result<Self, NameError> {
        match Vocabulary::SCHEDULERS.parse(text)? {
            StrategyName::Delays(scheduler) => Ok(scheduler),
            other => Err(NameError::new(format!("`{other}` is not a scheduler"))),
        }
    }
}

/// The parameter of a name.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Parameter<'a> {
    None,
    /// After a colon.
    Value(&'a str),
    /// In parentheses; the closing one may be missing.
    Inner(&'a str),
}

/// The mistake in a name, and a name that is right.
#[derive(Debug)]
pub(crate) enum Problem {
    Parameter {
        what: String,
        example: &'static str,
    },
    /// The row has no parameter.
    NotExpected,
    /// The name in parentheses is wrong.
    Inner(NameError),
}

impl Problem {
    fn new(what: impl Into<String>, example: &'static str) -> Self {
        Self::Parameter { what: what.into(), example }
    }

    /// The message about this name, whose keyword is right.
    pub(crate) fn explain(self, noun: &str, text: &str, keyword: &'static str) -> NameError {
        let (what, example) = match self {
            Self::Parameter { what, example } => (what, example),
            Self::NotExpected => (format!("`{keyword}` takes no parameter"), keyword),
            Self::Inner(error) => return error,
        };
        NameError::new(format!("bad {noun} `{text}`: {what}; write, for example, `{example}`"))
    }
}

impl Parameter<'_> {
    /// This strategy, if there is no parameter.
    fn absent(self, strategy: impl Into<StrategyName>) -> Result<StrategyName, Problem> {
        self.no_value(strategy.into())
    }

    /// This value, if there is no parameter.
    pub(crate) fn no_value<T>(self, value: T) -> Result<T, Problem> {
        match self {
            Self::None => Ok(value),
            Self::Value(_) | Self::Inner(_) => Err(Problem::NotExpected),
        }
    }

    /// The scheduler in parentheses.
    pub(crate) fn inner(self, example: &'static str) -> Result<SchedulerName, Problem> {
        let Self::Inner(inner) = self else {
            return Err(Problem::new("the other scheduler goes in parentheses", example));
        };
        let inner = inner.strip_suffix(')').ok_or_else(|| Problem::new("the `)` is missing", example))?;
        if inner.matches('(').count() >= MOST_NESTED {
            let message = format!("there are more than {MOST_NESTED} inside of each other");
            return Err(Problem::new(message, example));
        }
        inner.parse().map_err(Problem::Inner)
    }

    pub(crate) fn number<T: FromStr>(self, example: &'static str) -> Result<T, Problem> {
        let Self::Value(text) = self else { return Err(Problem::new("it needs a number", example)) };
        number(text, example)
    }
}

fn number<T: FromStr>(text: &str, example: &'static str) -> Result<T, Problem> {
    let text = text.trim();
    text.parse().map_err(|_| Problem::new(format!("`{text}` is not a number in range"), example))
}

fn scheduler(name: SchedulerName) -> Result<StrategyName, Problem> {
    Ok(StrategyName::Delays(name))
}

fn round_robin(parameter: Parameter<'_>) -> Result<SchedulerName, Problem> {
    let wrong = || Problem::new("the parameter is `reverse` or a seed", "rr:reverse` or `rr:42");
    let arrangement = match parameter {
        Parameter::None => Arrangement::Creation,
        Parameter::Value("reverse") => Arrangement::Reverse,
        Parameter::Value(seed) => Arrangement::Seeded(seed.parse().map_err(|_| wrong())?),
        Parameter::Inner(_) => return Err(wrong()),
    };
    Ok(SchedulerName::Rr(arrangement))
}

fn bounded_bag(parameter: Parameter<'_>) -> Result<SchedulerName, Problem> {
    const EXAMPLE: &str = "bounded-bag:3";
    match parameter {
        Parameter::Value(_) => match parameter.number(EXAMPLE)? {
            0 => Err(Problem::new("a bag without room for a task runs none", EXAMPLE)),
            bound => Ok(SchedulerName::BoundedBag(bound)),
        },
        _ => Err(Problem::new("it needs the number of copies that may be pending", EXAMPLE)),
    }
}

fn pct(parameter: Parameter<'_>) -> Result<SchedulerName, Problem> {
    const EXAMPLE: &str = "pct:7,3";
    let both = match parameter {
        Parameter::Value(both) => both.split_once(','),
        _ => None,
    };
    let two = || Problem::new("it needs a seed and a number of change points", EXAMPLE);
    let (seed, changes) = both.ok_or_else(two)?;
    let (seed, changes) = (number(seed, EXAMPLE)?, number(changes, EXAMPLE)?);
    if u64::from(changes) > HORIZON {
        let most = format!("change points are drawn from {HORIZON} steps, so there are at most as many");
        return Err(Problem::new(most, EXAMPLE));
    }
    Ok(SchedulerName::Pct { seed, changes })
}

/// A name has at most this many parentheses inside of each other: more mean nothing, and each takes stack.
const MOST_NESTED: usize = 8;

fn priority(parameter: Parameter<'_>) -> Result<SchedulerName, Problem> {
    let inner = match parameter {
        Parameter::None => SchedulerName::Rr(Arrangement::Creation),
        other => other.inner("priority(rr)")?,
    };
    Ok(SchedulerName::Priority(Box::new(inner)))
}
