//! A schedule is plain data: printed, parsed and replayed.

use std::fmt;
use std::str::FromStr;

use crate::Values;
use crate::enumeration::Deviations;

/// One execution: an order of tasks, and where it departs from it.
///
/// As text it is `rr/3,17,17`: under `rr`, one delay at branch 3 and two at branch 17, where the branches are
/// the points of the execution at which more than one task can run (and the calls of `rand`, if their values
/// are chosen). `rr/-` has no delays. Where values do not come from seed 0, it says so: `rr+choose2/3`,
/// `rr+seed7/-`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Schedule {
    pub(crate) strategy: String,
    pub(crate) values: Values,
    pub(crate) deviations: Deviations,
}

impl fmt::Display for Schedule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.strategy)?;
        match self.values {
            // After a name with a `+` of its own, it has to be said.
            Values::Seed(0) if !self.strategy.contains('+') => {}
            Values::Seed(seed) => write!(f, "+seed{seed}")?,
            Values::Choose(values) => write!(f, "+choose{values}")?,
        }
        if self.deviations.is_empty() {
            return f.write_str("/-");
        }
        let branches: Vec<_> = self.deviations.iter().map(u32::to_string).collect();
        write!(f, "/{}", branches.join(","))
    }
}

/// Text that is no schedule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScheduleError {
    text: String,
    reason: &'static str,
}

impl fmt::Display for ScheduleError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` is no schedule, such as `rr/3,17`: {}", self.text.escape_debug(), self.reason)
    }
}

impl std::error::Error for ScheduleError {}

impl FromStr for Schedule {
    type Err = ScheduleError;

    fn from_str(text: &str) -> Result<Self, ScheduleError> {
        let error = |reason| ScheduleError { text: text.to_owned(), reason };
        let (order, branches) = text.trim().rsplit_once('/').ok_or_else(|| error("there is no `/`"))?;
        let (strategy, values) = match order.rsplit_once('+') {
            None => (order, Values::default()),
            Some((strategy, values)) => {
                (strategy, parse_values(values).ok_or_else(|| error("`+seedN` or `+chooseN` is expected"))?)
            }
        };
        if strategy.is_empty() {
            return Err(error("the name of a scheduler is missing"));
        }
        let deviations = match branches {
            "-" => Some(Deviations::default()),
            branches => branches.split(',').map(|branch| branch.trim().parse().ok()).collect(),
        };
        let deviations = deviations.ok_or_else(|| error("after the `/`, numbers are expected, or `-`"))?;
        if !deviations.is_sorted() {
            return Err(error("the numbers ascend"));
        }
        Ok(Self { strategy: strategy.to_owned(), values, deviations })
    }
}

fn parse_values(text: &str) -> Option<Values> {
    if let Some(seed) = text.strip_prefix("seed") {
        return seed.parse().ok().map(Values::Seed);
    }
    text.strip_prefix("choose")?.parse().ok().filter(|values| *values > 0).map(Values::Choose)
}
