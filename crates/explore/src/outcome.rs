//! The outcome of a run: its verdict, and what it covered.

use std::fmt;

use dally_schedule::StrategyName;

use crate::{Failure, Schedule};

/// How a search ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// No execution fails: every schedule was covered (modulo [seals](Coverage::sealed), of which only exact searches say
    /// this).
    Proved,
    /// No execution within the bound fails: every one of them was covered. Exact searches say this.
    ProvedWithin(u32),
    /// Nothing failed in what was covered. A cached search with a bound K says this: all that it has
    /// seen was reached with at most K, but it may have missed something that is reachable with K. It
    /// is also said when a scheduler never proposed some of the enabled tasks.
    NoBug,
    /// An execution fails.
    Bug(Box<Bug>),
    /// A limit ended the search.
    Inconclusive(Limit),
    /// The program uses something that cannot be explored.
    Unsupported(String),
}

/// An execution that fails.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bug {
    /// What failed.
    pub failure: Failure,
    /// The execution, to be [replayed](crate::replay()).
    pub schedule: Schedule,
    /// What the execution costs: delays, or whatever the policy counts.
    pub cost: u32,
}

/// What may end a search before it is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Limit {
    /// The time is up.
    Time,
    /// The memory is used up.
    Memory,
    /// There are as many states as were asked for.
    States,
    /// Somebody wants it to end.
    Cancelled,
}

impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Time => "time limit",
            Self::Memory => "memory limit",
            Self::States => "limit on states",
            Self::Cancelled => "cancelled",
        })
    }
}

/// What a search has covered, so far or in the end.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Coverage {
    /// The bound that is being explored, or was last.
    pub bound: u32,
    /// The last bound that was explored to its end.
    pub completed_bound: Option<u32>,
    /// States in the visited set.
    pub states: usize,
    /// Transitions taken.
    pub transitions: u64,
    /// States that wait for a higher bound.
    pub frontier: usize,
    /// States at which seals pruned tasks.
    pub sealed: u64,
    /// States at which the policy left out enabled tasks for another reason.
    pub unproposed: u64,
    /// States in which nobody can move.
    pub finals: u64,
    /// The most bytes that the search held, by its own count.
    pub peak_bytes: usize,
    /// Of these, the bytes of the visited set.
    pub visited_bytes: usize,
    /// The chance, at the most, that two states shared a fingerprint.
    pub collision_chance: f64,
}

/// The verdict, and what it rests on.
#[derive(Clone, Debug, PartialEq)]
pub struct Report {
    /// How the search ended.
    pub verdict: Verdict,
    /// What it covered.
    pub coverage: Coverage,
    /// The strategy whose search came to the verdict.
    pub strategy: StrategyName,
    /// In a portfolio, the coverage of the other strategies.
    pub others: Vec<Covered>,
}

/// The coverage of one strategy.
#[derive(Clone, Debug, PartialEq)]
pub struct Covered {
    /// The strategy.
    pub strategy: StrategyName,
    /// What its search covered.
    pub coverage: Coverage,
}

impl Report {
    /// The coverage of the strategy that came to the verdict.
    pub(crate) fn into_covered(self) -> Covered {
        Covered { strategy: self.strategy, coverage: self.coverage }
    }

    /// The bug, if one was found.
    pub fn bug(&self) -> Option<&Bug> {
        match &self.verdict {
            Verdict::Bug(bug) => Some(bug),
            _ => None,
        }
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Proved => f.write_str("proved"),
            Self::ProvedWithin(bound) => write!(f, "proved within {bound}"),
            Self::NoBug => f.write_str("no bug found"),
            Self::Bug(bug) => write!(f, "bug: {}", bug.failure),
            Self::Inconclusive(limit) => write!(f, "inconclusive: {limit}"),
            Self::Unsupported(what) => write!(f, "unsupported: {what}"),
        }
    }
}
