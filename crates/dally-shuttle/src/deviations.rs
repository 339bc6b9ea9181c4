//! A schedule as the deviations of one execution from its strategy: plain data, printed, parsed and replayed.

use std::fmt;
use std::str::FromStr;

use dally_schedule::StrategyName;

use crate::Values;
use crate::enumeration::Branches;

/// The schedule of one execution: a strategy, and the branches at which the execution deviates from it.
///
/// As text it is `rr/3,17,17`: under `rr`, one delay at branch 3 and two at branch 17. The branches are the points of
/// the execution at which more than one task can run (and the calls of `rand`, if their values are chosen). `rr/-` has
/// no delays. If values do not come from seed 0, the text says so: `rr+choose2/3`, `rr+seed7/-`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Deviations {
    pub(crate) strategy: StrategyName,
    pub(crate) values: Values,
    /// Ascending; a branch that comes n times is one at which alternative n is taken.
    pub(crate) branches: Branches,
}

impl fmt::Display for Deviations {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let strategy = self.strategy.to_string();
        f.write_str(&strategy)?;
        match self.values {
            // A custom name may contain a `+`, which would be read as the beginning of this part.
            Values::Vary | Values::Seed(0) if !strategy.contains('+') => {}
            Values::Vary => f.write_str("+seed0")?,
            Values::Seed(seed) => write!(f, "+seed{seed}")?,
            Values::Choose(values) => write!(f, "+choose{values}")?,
        }
        if self.branches.is_empty() {
            return f.write_str("/-");
        }
        let branches: Vec<_> = self.branches.iter().map(u32::to_string).collect();
        write!(f, "/{}", branches.join(","))
    }
}

/// Text that is not a schedule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeviationsError {
    text: String,
    reason: &'static str,
}

impl fmt::Display for DeviationsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` is not a schedule such as `rr/3,17`: {}", self.text.escape_debug(), self.reason)
    }
}

impl std::error::Error for DeviationsError {}

impl FromStr for Deviations {
    type Err = DeviationsError;

    fn from_str(text: &str) -> Result<Self, DeviationsError> {
        let error = |reason| DeviationsError { text: text.to_owned(), reason };
        let (order, branches) = text.trim().rsplit_once('/').ok_or_else(|| error("there is no `/`"))?;
        let (strategy, values) = match order.rsplit_once('+') {
            None => (order, Values::Seed(0)),
            Some((strategy, values)) => {
                (strategy, parse_values(values).ok_or_else(|| error("`+seedN` or `+chooseN` is expected"))?)
            }
        };
        if strategy.is_empty() {
            return Err(error("the name of a scheduler is missing"));
        }
        let branches = match branches {
            "-" => Some(Branches::default()),
            branches => branches.split(',').map(|branch| branch.trim().parse().ok()).collect(),
        };
        let branches = branches.ok_or_else(|| error("after the `/`, numbers are expected, or `-`"))?;
        if !branches.is_sorted() {
            return Err(error("the numbers must be in ascending order"));
        }
        Ok(Self { strategy: StrategyName::known_or_custom(strategy), values, branches })
    }
}

fn parse_values(text: &str) -> Option<Values> {
    if let Some(seed) = text.strip_prefix("seed") {
        return seed.parse().ok().map(Values::Seed);
    }
    text.strip_prefix("choose")?.parse().ok().filter(|values| *values > 0).map(Values::Choose)
}
