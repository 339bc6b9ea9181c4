//! Reading names of strategies, and lists of them.
//!
//! Names in a list are separated by commas: `rr,rtc,pct:7,3`. No name begins with a digit, so a comma before a digit
//! is one between the parameters of a name. `portfolio` in a list stands for several strategies.

use std::fmt;

use crate::names::WITH;
use crate::rules::RuleSet;
use crate::table::{Family, Parameter, Problem, Row, STRATEGIES};
use crate::{OwnScheduler, SchedulerName, StrategyName};

/// The name in a list that stands for several strategies.
pub const PORTFOLIO: &str = "portfolio";

/// The separator of lists.
pub const SEPARATOR: char = ',';

/// An earlier spelling of [`SEPARATOR`], which is still read.
const OLD_SEPARATOR: char = ';';

/// The strategies that a flag or a configuration accepts.
#[derive(Clone, Copy, Debug)]
pub struct Vocabulary {
    /// The noun for a strategy in messages: `scheduler` or `strategy`.
    pub noun: &'static str,
    /// Why the strategies of a row cannot be used, if they cannot.
    pub excluded: fn(&Row) -> Option<&'static str>,
}

/// The context of a list of strategies: settings that depend on the program or on other flags.
#[derive(Clone, Copy, Debug, Default)]
pub struct ListContext<'a> {
    /// The strategies that `portfolio` stands for.
    pub portfolio: &'a [SchedulerName],
    /// The seed of `random` where the list gives none, and of the one in `portfolio`.
    pub seed: Option<u64>,
    /// The schedulers of the user, besides those of the table.
    pub own: &'a [OwnScheduler],
}

/// A list of strategies.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StrategyList {
    /// The strategies, in order.
    pub strategies: Vec<StrategyName>,
    /// True if one of them uses [`ListContext::seed`].
    pub uses_seed: bool,
}

impl Vocabulary {
    /// All strategies.
    pub const STRATEGIES: Self = Self { noun: "strategy", excluded: |_| None };

    /// The schedulers.
    pub const SCHEDULERS: Self = Self {
        noun: "scheduler",
        excluded: |row| (row.family == Family::Baseline).then_some("it is a baseline without a scheduler"),
    };

    /// The rows of the table that can be used.
    pub fn rows(self) -> impl Iterator<Item = &'static Row> {
        STRATEGIES.iter().filter(move |row| (self.excluded)(row).is_none())
    }

    /// All forms of names that can be used.
    pub fn forms(self) -> impl Iterator<Item = &'static str> {
        self.rows().flat_map(|row| row.forms).copied()
    }

    /// Reads one name.
    pub fn parse(self, text: &str) -> Result<StrategyName, NameError> {
        let text = text.trim();
        if let Some((base, rules)) = text.split_once(WITH) {
            return self.parse_ruled(base, rules);
        }
        let (keyword, parameter) = split(text);
        let Some(row) = STRATEGIES.iter().find(|row| row.keyword == keyword) else {
            return Err(self.unknown(text, keyword));
        };
        if let Some(why) = (self.excluded)(row) {
            return Err(NameError(format!("`{text}` cannot be used here: {why}")));
        }
        (row.read)(parameter).map_err(|problem| self.wrong(text, row, problem))
    }

    /// Reads the name of a scheduler, and rules around it.
    fn parse_ruled(self, base: &str, rules: &str) -> Result<StrategyName, NameError> {
        let base = self.parse(base)?;
        let rules =
            rules.parse::<RuleSet>().map_err(|error| NameError(format!("bad rules `{rules}`: {error}")))?;
        match base {
            StrategyName::Delays(base) => base.with_rules(rules).map(StrategyName::Delays),
            other => Err(NameError(format!("`{other}` has no order that rules could change"))),
        }
    }

    /// Reads a list of names.
    pub fn parse_list(self, text: &str, context: ListContext<'_>) -> Result<StrategyList, NameError> {
        let mut list = StrategyList { strategies: Vec::new(), uses_seed: false };
        for item in items(text) {
            match (item, context.seed) {
                ("", _) => return Err(NameError(format!("a {} is missing in `{text}`", self.noun))),
                (PORTFOLIO, seed) => {
                    list.uses_seed = true;
                    list.strategies.extend(context.portfolio.iter().map(|name| seeded(name, seed).into()));
                }
                ("random", seed) => {
                    list.uses_seed = true;
                    list.strategies.push(SchedulerName::Random(seed.unwrap_or(0)).into());
                }
                (name, _) => list.strategies.push(match context.own.iter().find(|own| own.name() == name) {
                    Some(own) => SchedulerName::from(own.clone()).into(),
                    None => self.parse(name)?,
                }),
            }
        }
        Ok(list)
    }

    fn wrong(self, text: &str, row: &Row, problem: Problem) -> NameError {
        problem.explain(self.noun, text, row.keyword)
    }

    fn unknown(self, text: &str, keyword: &str) -> NameError {
        let distance = |row: &&Row| strsim::damerau_levenshtein(keyword, row.keyword);
        let near =
            self.rows().min_by_key(distance).filter(|row| distance(row) <= 2.min(row.keyword.len() - 1));
        let hint = match near {
            Some(row) => format!("did you mean `{}`?", row.keyword),
            None => {
                let forms: Vec<String> = self.forms().map(|form| format!("`{form}`")).collect();
                format!("there are {}, and `{PORTFOLIO}` in lists", forms.join(", "))
            }
        };
        NameError(format!("there is no {} `{text}`; {hint}", self.noun))
    }
}

/// A member of a portfolio, with this seed if it is `random`.
fn seeded(name: &SchedulerName, seed: Option<u64>) -> SchedulerName {
    match (name, seed) {
        (SchedulerName::Random(_), Some(seed)) => SchedulerName::Random(seed),
        _ => name.clone(),
    }
}

/// The keyword of a name, and its parameter.
pub(crate) fn split(text: &str) -> (&str, Parameter<'_>) {
    let Some(at) = text.find([':', '(']) else { return (text, Parameter::None) };
    let (keyword, parameter) = (text[..at].trim(), text[at + 1..].trim());
    match text.as_bytes()[at] {
        b':' => (keyword, Parameter::Value(parameter)),
        _ => (keyword, Parameter::Inner(parameter)),
    }
}

/// The names of a list, without the space around them.
pub(crate) fn items(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = Some(text);
    std::iter::from_fn(move || {
        let from = rest?;
        let end = from.char_indices().find(|(at, c)| match *c {
            OLD_SEPARATOR => true,
            SEPARATOR => !from[at + 1..].trim_start().starts_with(|next: char| next.is_ascii_digit()),
            _ => false,
        });
        rest = end.map(|(at, _)| &from[at + 1..]);
        Some(from[..end.map_or(from.len(), |(at, _)| at)].trim())
    })
}

/// Text that names no strategy, with the reason.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NameError(String);

impl NameError {
    pub(crate) fn new(message: String) -> Self {
        Self(message)
    }
}

impl fmt::Display for NameError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for NameError {}
