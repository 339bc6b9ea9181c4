//! What a search has done.

use std::fmt;

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
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StrategyStatistics {
    /// The name of the strategy.
    pub strategy: String,
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
        let counts: Vec<_> = self.schedules.iter().map(u64::to_string).collect();
        write!(f, "{}: {}", self.strategy, counts.join(" + "))?;
        match self.completed {
            Some(bound) => write!(f, ", complete up to {bound}"),
            None => Ok(()),
        }
    }
}
