//! What a search has done.

use std::fmt;

use dally_schedule::StrategyName;

/// What a search has done.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Statistics {
    /// Executions that began.
    pub schedules: u64,
    /// Those that differ in the order of their steps. Different strategies may come to the same execution.
    pub distinct: u64,
    /// Steps in all of them: how often a task ran until the next scheduling point, or asked for a value.
    pub steps: u64,
    /// Branches in all of them: scheduling points at which more than one task could run, and calls of `rand`
    /// whose values are chosen.
    pub branches: u64,
    /// Values in all of them that `shuttle::rand` was asked for.
    pub values: u64,
    /// Executions that were cut off, because they had too many steps.
    pub cut: u64,
    /// For each strategy, in the order of the configuration.
    pub strategies: Vec<StrategyStatistics>,
}

/// What a search has done under one strategy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StrategyStatistics {
    /// The strategy.
    pub strategy: StrategyName,
    /// How many executions there were with 0, 1, 2, … delays.
    pub schedules: Vec<u64>,
    /// The last bound that was explored to its end.
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

/// So many numbers are listed at the most.
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
