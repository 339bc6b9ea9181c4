//! Schedulers by name: `rr`, `rr:reverse`, `random:42`, `priority(rr)`, `bounded-bag:3`, `pct:7,3`.

use std::fmt;
use std::str::FromStr;

use crate::pct::HORIZON;
use crate::{Arrangement, Bag, BoundedBag, Df, Pct, Priority, Random, Rr, Rtc, Scheduler};

/// The name of a scheduler, with its parameters. It is parsed from text and printed as such.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Name {
    /// `bag`: every enabled task is a choice.
    Bag,
    /// `bounded-bag:N`: the bag that drops the N+1st copy of a task.
    BoundedBag(usize),
    /// `rr`, `rr:reverse`, `rr:SEED`: round-robin.
    Rr(Arrangement),
    /// `dfs`: depth-first, a yielding task after its children.
    Dfs,
    /// `df`: depth-first by rounds.
    Df,
    /// `dfw`: depth-first by rounds, and waiting tasks wait.
    Dfw,
    /// `rtc`: run to completion.
    Rtc,
    /// `random:SEED`: a pseudo-random order at each state.
    Random(u64),
    /// `priority(S)`: the highest level first, then S.
    Priority(Box<Name>),
    /// `pct:SEED,D`: random priorities with D change points.
    Pct(u64, u32),
}

impl Name {
    /// How each kind of name is written.
    pub const FORMS: [&'static str; 12] = [
        "bag",
        "bounded-bag:N",
        "rr",
        "rr:reverse",
        "rr:SEED",
        "dfs",
        "df",
        "dfw",
        "rtc",
        "random:SEED",
        "priority(S)",
        "pct:SEED,D",
    ];

    /// Schedulers that complement each other: each finds with few delays what costs another many.
    pub fn portfolio() -> Vec<Self> {
        vec![Self::Rr(Arrangement::Creation), Self::Rr(Arrangement::Reverse), Self::Rtc, Self::Random(1)]
    }

    /// The scheduler of this name, empty.
    pub fn build(&self) -> Scheduler {
        match self {
            Self::Bag => Scheduler::Bag(Bag::default()),
            Self::BoundedBag(bound) => Scheduler::BoundedBag(Box::new(BoundedBag::new(*bound))),
            Self::Rr(arrangement) => Scheduler::Rr(Rr::new(*arrangement)),
            Self::Dfs => Scheduler::Dfs(Box::default()),
            Self::Df => Scheduler::Df(Df::default()),
            Self::Dfw => Scheduler::Dfw(Box::default()),
            Self::Rtc => Scheduler::Rtc(Rtc::default()),
            Self::Random(seed) => Scheduler::Random(Random::new(*seed)),
            Self::Priority(inner) => Scheduler::Priority(Box::new(Priority::new(inner.build()))),
            Self::Pct(seed, changes) => Scheduler::Pct(Box::new(Pct::new(*seed, *changes))),
        }
    }
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bag => f.write_str("bag"),
            Self::BoundedBag(bound) => write!(f, "bounded-bag:{bound}"),
            Self::Rr(Arrangement::Creation) => f.write_str("rr"),
            Self::Rr(Arrangement::Reverse) => f.write_str("rr:reverse"),
            Self::Rr(Arrangement::Seeded(seed)) => write!(f, "rr:{seed}"),
            Self::Dfs => f.write_str("dfs"),
            Self::Df => f.write_str("df"),
            Self::Dfw => f.write_str("dfw"),
            Self::Rtc => f.write_str("rtc"),
            Self::Random(seed) => write!(f, "random:{seed}"),
            Self::Priority(inner) => write!(f, "priority({inner})"),
            Self::Pct(seed, changes) => write!(f, "pct:{seed},{changes}"),
        }
    }
}

/// Text that names no scheduler.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NameError(String);

impl fmt::Display for NameError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for NameError {}

impl FromStr for Name {
    type Err = NameError;

    fn from_str(text: &str) -> Result<Self, NameError> {
        let text = text.trim();
        if let Some(inner) = text.strip_prefix("priority(") {
            let inner = inner
                .strip_suffix(')')
                .ok_or_else(|| wrong(text, "the `)` is missing", &format!("{text})")))?;
            return Ok(Self::Priority(Box::new(inner.parse()?)));
        }
        match text.split_once(':') {
            None => plain(text),
            Some((kind, parameter)) => with_parameter(text, kind.trim(), parameter.trim()),
        }
    }
}

fn plain(text: &str) -> Result<Name, NameError> {
    match text {
        "bag" => Ok(Name::Bag),
        "rr" => Ok(Name::Rr(Arrangement::Creation)),
        "dfs" => Ok(Name::Dfs),
        "df" => Ok(Name::Df),
        "dfw" => Ok(Name::Dfw),
        "rtc" => Ok(Name::Rtc),
        "random" => Ok(Name::Random(0)),
        "priority" => Ok(Name::Priority(Box::new(Name::Rr(Arrangement::Creation)))),
        "bounded-bag" => Err(wrong(text, "how many copies may be pending?", "bounded-bag:3")),
        "pct" => Err(wrong(text, "it needs a seed and a number of change points", "pct:7,3")),
        _ => Err(unknown(text)),
    }
}

fn with_parameter(text: &str, kind: &str, parameter: &str) -> Result<Name, NameError> {
    match kind {
        "rr" if parameter == "reverse" => Ok(Name::Rr(Arrangement::Reverse)),
        "rr" => match parameter.parse() {
            Ok(seed) => Ok(Name::Rr(Arrangement::Seeded(seed))),
            Err(_) => Err(wrong(text, "the parameter is `reverse` or a seed", "rr:reverse` or `rr:42")),
        },
        "random" => number(text, parameter, "random:42").map(Name::Random),
        "bounded-bag" => match number(text, parameter, "bounded-bag:3")? {
            0 => Err(wrong(text, "a bag without room for a task runs none", "bounded-bag:3")),
            bound => Ok(Name::BoundedBag(bound)),
        },
        "pct" => {
            let two = "it needs a seed and a number of change points";
            let (seed, changes) = parameter.split_once(',').ok_or_else(|| wrong(text, two, "pct:7,3"))?;
            let (seed, changes) =
                (number(text, seed.trim(), "pct:7,3")?, number(text, changes.trim(), "pct:7,3")?);
            if u64::from(changes) > HORIZON {
                let most =
                    format!("change points are drawn from {HORIZON} steps, there are no more than that");
                return Err(wrong(text, &most, "pct:7,3"));
            }
            Ok(Name::Pct(seed, changes))
        }
        "priority" => Err(wrong(text, "the other scheduler goes in parentheses", "priority(rr)")),
        _ => match plain(kind) {
            Ok(_) => Err(wrong(text, &format!("`{kind}` takes no parameter"), kind)),
            Err(error) => Err(error),
        },
    }
}

fn number<T: FromStr>(text: &str, parameter: &str, example: &str) -> Result<T, NameError> {
    parameter.parse().map_err(|_| wrong(text, &format!("`{parameter}` is not a number in range"), example))
}

fn wrong(text: &str, what: &str, example: &str) -> NameError {
    NameError(format!("bad scheduler `{text}`: {what}; write, for example, `{example}`"))
}

fn unknown(text: &str) -> NameError {
    let kinds = ["bag", "bounded-bag", "rr", "dfs", "df", "dfw", "rtc", "random", "priority", "pct"];
    let kind = text.split(['(', ':']).next().unwrap_or(text);
    let near = kinds.iter().map(|known| (strsim::damerau_levenshtein(kind, known), known)).min();
    let hint = match near {
        Some((distance, known)) if distance <= 2 && distance < known.len() => {
            format!("; did you mean `{known}`?")
        }
        _ => format!("; there are {}", Name::FORMS.map(|form| format!("`{form}`")).join(", ")),
    };
    NameError(format!("there is no scheduler `{text}`{hint}"))
}
