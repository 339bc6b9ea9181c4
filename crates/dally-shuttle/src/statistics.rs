//! The executions that a search has run.

use std::fmt;

use dally_schedule::StrategyName;

/// The executions that a search has run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Statistics {
    /// The number of executions.
    pub schedules: u64,
    /// The number of distinct executions. Different strategies may run the same execution.
    pub distinct: u64,
    /// The number of their steps: runs of a task until the next scheduling point, and requests of values.
    pub steps: u64,
    /// The number of their branches: scheduling points at which more than one task could run, and calls of `rand`
    /// whose values are chosen.
    pub branches: u64,
    /// The number of values that they requested from `shuttle::rand`.
    pub values: u64,
    /// The number of executions that were cut off by the limit on steps.
    pub cut: u64,
    /// The executions of each strategy, in the order of the configuration.
    pub strategies: Vec<StrategyStatistics>,
}

/// The executions of one strategy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StrategyStatistics {
    /// The strategy.
    pub strategy: StrategyName,
    /// The numbers of executions with 0, 1, 2, … delays.
    pub schedules: Vec<u64>,
    /// The last bound that was explored completely.
    pub completed: Option<u32>,
}

impl fmt::Display for Statistics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { schedules, distinct, steps, branches, cut, .. } = self;
        let word = if *schedules == 1 { "schedule" } else { "schedules" };
        write!(f, "{schedules} {word} ({distinct} distinct), {steps} steps, {branches} branches")?;
        if *cut > 0 {
            write!(f, ", {cut} cut off")?;
        }
        self.strategies.iter().try_for_each(|strategy| write!(f, "\n  {strategy}"))
    }
}

impl fmt::Display for StrategyStatistics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.strategy, summary(&self.schedules))?;
        match self.completed {
            Some(bound) => write!(f, ", complete up to {bound}"),
            None => Ok(()),
        }
    }
}

/// The most numbers that are listed.
const LISTED: usize = 12;

/// The counts for the bounds 0, 1, 2, …, of which there may be thousands.
fn summary(counts: &[u64]) -> String {
    let mut parts = Vec::new();
    let mut bound = 0;
    for same in counts.chunk_by(|one, next| one == next) {
        bound += same.len();
        match same {
            [count, _, _, _, ..] => parts.push(format!("… {count} each up to bound {}", bound - 1)),
            few => parts.extend(few.iter().map(u64::to_string)),
        }
    }
    if let (true, Some(last)) = (parts.len() > LISTED, counts.last()) {
        parts.truncate(LISTED - 2);
        parts.push(format!("… + {last} with bound {}", counts.len() - 1));
    }
    parts.join(" + ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_bounds_are_summed_up() {
        for (counts, expected) in [
            (vec![], ""),
            (vec![1, 3, 3, 3, 2], "1 + 3 + 3 + 3 + 2"),
            ([vec![1, 3], vec![5; 39]].concat(), "1 + 3 + … 5 each up to bound 40"),
            ([vec![1], vec![5; 40], vec![2]].concat(), "1 + … 5 each up to bound 40 + 2"),
            ((1..=20).collect(), "1 + 2 + 3 + 4 + 5 + 6 + 7 + 8 + 9 + 10 + … + 20 with bound 19"),
        ] {
            assert_eq!(summary(&counts), expected);
        }
    }
}
