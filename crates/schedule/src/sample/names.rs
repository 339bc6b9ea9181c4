//! Samplers by name.

use std::fmt;
use std::str::FromStr;

use super::{FairSuffix, PartialOrders, RandomDelays, RandomPriorities, TaskSampler, Uniform, UniformWalk};
use crate::table::{Parameter, Problem};
use crate::vocabulary::{self, NameError};
use crate::{PORTFOLIO, SchedulerName};

/// A sampler, with its parameters. It prints as its name, and is parsed from it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum SamplerName {
    /// `random`: each enabled task is equally likely.
    Random,
    /// `pct:D`: random priorities with D change points.
    Pct(u32),
    /// `urw`: each interleaving is about equally likely.
    Urw,
    /// `pos`: random priorities of steps, redrawn where steps conflict.
    Pos,
    /// `delays`, `delays(S)`: a few random delays, of the default scheduler or of another one.
    Delays(Option<SchedulerName>),
}

/// A sampler, or several that differ in their parameters.
#[derive(Debug)]
pub struct SamplerRow {
    /// The word that its names begin with.
    pub keyword: &'static str,
    /// How its names are written; parameters are in capitals.
    pub forms: &'static [&'static str],
    /// The order in which tasks run.
    pub order: &'static str,
    read: fn(Parameter<'_>) -> Result<SamplerName, Problem>,
}

/// All samplers.
pub const SAMPLERS: &[SamplerRow] = &[
    SamplerRow {
        keyword: "random",
        forms: &["random"],
        order: "each enabled task is equally likely",
        read: |parameter| parameter.no_value(SamplerName::Random),
    },
    SamplerRow {
        keyword: "pct",
        forms: &["pct:D"],
        order: "random priorities; at D random points the running task gets the lowest",
        read: |parameter| Ok(SamplerName::Pct(parameter.number("pct:3")?)),
    },
    SamplerRow {
        keyword: "urw",
        forms: &["urw"],
        order: "uniform random walk: a task is as likely as it has steps left, by the mean of earlier walks",
        read: |parameter| parameter.no_value(SamplerName::Urw),
    },
    SamplerRow {
        keyword: "pos",
        forms: &["pos"],
        order: "partial-order sampling: random priorities of steps; those that conflict with the step just taken are redrawn",
        read: |parameter| parameter.no_value(SamplerName::Pos),
    },
    SamplerRow {
        keyword: "delays",
        forms: &["delays", "delays(S)"],
        order: "the order of the scheduler, or of S, with a few delays at random points",
        read: |parameter| match parameter {
            Parameter::None => Ok(SamplerName::Delays(None)),
            other => Ok(SamplerName::Delays(Some(other.inner("delays(rr)")?))),
        },
    },
];

impl SamplerName {
    /// Samplers that complement each other. They share walks round robin.
    pub fn portfolio() -> Vec<Self> {
        vec![Self::Random, Self::Delays(None), Self::Urw, Self::Pct(3)]
    }

    /// The sampler of this name. `default` is the scheduler of `delays`.
    pub fn build(&self, default: &SchedulerName) -> Box<dyn TaskSampler> {
        match self {
            Self::Random => Box::new(Uniform),
            Self::Pct(changes) => Box::new(FairSuffix::new(RandomPriorities::new(*changes))),
            Self::Urw => Box::new(UniformWalk::default()),
            Self::Pos => Box::new(PartialOrders::default()),
            Self::Delays(scheduler) => {
                let scheduler = scheduler.as_ref().unwrap_or(default);
                Box::new(FairSuffix::new(RandomDelays::new(scheduler)))
            }
        }
    }

    /// Reads a list of names, such as `random,pct:3`. `portfolio` stands for [several](Self::portfolio).
    pub fn parse_list(text: &str) -> Result<Vec<Self>, NameError> {
        let mut list = Vec::new();
        for item in vocabulary::items(text) {
            match item {
                "" => return Err(NameError::new(format!("a sampler is missing in `{text}`"))),
                PORTFOLIO => list.extend(Self::portfolio()),
                name => list.push(name.parse()?),
            }
        }
        Ok(list)
    }
}

impl fmt::Display for SamplerName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Random => f.write_str("random"),
            Self::Pct(changes) => write!(f, "pct:{changes}"),
            Self::Urw => f.write_str("urw"),
            Self::Pos => f.write_str("pos"),
            Self::Delays(None) => f.write_str("delays"),
            Self::Delays(Some(scheduler)) => write!(f, "delays({scheduler})"),
        }
    }
}

impl FromStr for SamplerName {
    type Err = NameError;

    fn from_str(text: &str) -> Result<Self, NameError> {
        let text = text.trim();
        let (keyword, parameter) = vocabulary::split(text);
        let Some(row) = SAMPLERS.iter().find(|row| row.keyword == keyword) else {
            let forms: Vec<String> =
                SAMPLERS.iter().flat_map(|row| row.forms).map(|form| format!("`{form}`")).collect();
            let forms = forms.join(", ");
            let message =
                format!("there is no sampler `{text}`; there are {forms}, and `{PORTFOLIO}` in lists");
            return Err(NameError::new(message));
        };
        (row.read)(parameter).map_err(|problem| problem.explain("sampler", text, row.keyword))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_print_as_they_are_parsed() {
        for name in ["random", "pct:3", "urw", "pos", "delays", "delays(rr:reverse)", "delays(priority(dfs))"]
        {
            assert_eq!(name.parse::<SamplerName>().map(|sampler| sampler.to_string()), Ok(name.to_owned()));
        }
        let list = SamplerName::parse_list("urw, portfolio").map(|list| list.len());
        assert_eq!(list, Ok(5));
    }

    #[test]
    fn mistakes_are_explained() {
        let message = |text: &str| text.parse::<SamplerName>().map_err(|error| error.to_string());
        assert!(
            message("posix").is_err_and(|m| m.starts_with("there is no sampler `posix`; there are `random`"))
        );
        assert!(message("pct").is_err_and(|m| m.contains("it needs a number; write, for example, `pct:3`")));
        assert!(message("urw:3").is_err_and(|m| m.contains("takes no parameter")));
        assert!(message("delays(bug)").is_err_and(|m| m.contains("there is no scheduler `bug`")));
        assert!(message("delays:rr").is_err());
        assert!(SamplerName::parse_list("random,").is_err());
    }
}
