//! The outcome of a run, for every command: its verdict, the limit that ended it, and its coverage.
//!
//! `dally check`, `dally verify` and `dally-shuttle` share these types, their words ([`wording`]) and their exit codes.
//! The representation of a bug is a parameter of [`Verdict`].

use dally_schedule::StrategyName;

use crate::running::Running;
use crate::sample::Sampled;
use crate::{Failure, Schedule};

mod coverage;
mod wording;

pub use coverage::{
    BoundCoverage, Coverage, ExecutionCoverage, InliningCoverage, SamplerExecutions, StateCoverage,
    StrategyExecutions,
};
pub use wording::{count, counted};

/// The answer of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict<B = Bug> {
    /// No execution fails: every schedule was covered (modulo [seals](StateCoverage::sealed), of which only exact searches say
    /// this).
    Proved,
    /// No execution within the bound fails: every one of them was covered. Exact searches say this.
    ProvedWithin(u32),
    /// Nothing failed in what was covered, which is not everything. A cached search with a bound K says this: all states
    /// that it has visited are reachable with at most K, but it may have missed some that are. So does a search whose
    /// scheduler did not propose all enabled tasks, and one for which only some values were tried.
    NoBug,
    /// An execution fails.
    Bug(Box<B>),
    /// A limit ended the run, without a bug.
    Inconclusive(Limit),
    /// The program uses a construct that is not supported: which one.
    Unsupported(String),
}

/// The reason why a run is inconclusive.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Limit {
    /// The time limit.
    Time,
    /// The memory limit.
    Memory,
    /// The limit on states.
    States,
    /// The limit on schedules.
    Schedules,
    /// The limit on steps cut some executions off.
    Steps,
    /// The limit on the time of one query to the solver.
    Query,
    /// The limit on the size of the formula.
    Size,
    /// The solver does not know the answer.
    Unknown,
    /// The solver cannot be run, or terminated early.
    Solver,
    /// The axioms or definitions of the program contradict each other.
    Contradiction,
    /// The counterexample of the solver was not confirmed by an execution.
    Unconfirmed,
    /// Tasks were delayed before conflicting operations only.
    Conflicts,
    /// Only one schedule was replayed, and it does not fail.
    Replay,
    /// The user interrupted the run.
    Cancelled,
    /// The search has not finished.
    Unfinished,
}

/// The exit code of a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// Proved, or no bug was found.
    Success,
    /// A bug was found.
    Bug,
    /// The usage or the input is wrong.
    Error,
    /// Inconclusive, or unsupported.
    Inconclusive,
}

/// An execution that fails.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bug {
    /// The failure.
    pub failure: Failure,
    /// The execution, to be [replayed](crate::replay()).
    pub schedule: Schedule,
    /// The cost of the execution, in the [unit](StrategyName::unit) of its strategy.
    pub cost: u32,
}

/// The coverage of one strategy.
#[derive(Clone, Debug, PartialEq)]
pub struct Covered {
    /// The strategy.
    pub strategy: StrategyName,
    /// The coverage of its search.
    pub coverage: StateCoverage,
}

/// The verdict of a search, and its coverage.
#[derive(Clone, Debug, PartialEq)]
pub struct Report {
    /// The verdict.
    pub verdict: Verdict,
    /// The coverage of the search.
    pub coverage: StateCoverage,
    /// The strategy of the search.
    pub strategy: StrategyName,
    /// In a portfolio, the coverage of the other strategies.
    pub others: Vec<Covered>,
    /// The executions that were sampled, if any were.
    pub sampled: Option<Sampled>,
    /// If the verdict is inconclusive: the task that keeps the bound from completing, if one does.
    pub running: Option<Running>,
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

impl<B> Verdict<B> {
    /// Returns true if the run ended in good order without a bug.
    pub fn is_clean(&self) -> bool {
        matches!(self, Self::Proved | Self::ProvedWithin(_) | Self::NoBug)
    }

    /// The exit code of a command with this verdict.
    pub fn exit(&self) -> Exit {
        match self {
            Self::Proved | Self::ProvedWithin(_) | Self::NoBug => Exit::Success,
            Self::Bug(_) => Exit::Bug,
            Self::Inconclusive(_) | Self::Unsupported(_) => Exit::Inconclusive,
        }
    }
}

impl Exit {
    /// The number that the process returns.
    pub fn code(self) -> u8 {
        match self {
            Self::Success => 0,
            Self::Bug => 1,
            Self::Error => 2,
            Self::Inconclusive => 3,
        }
    }
}

impl From<Exit> for std::process::ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit.code())
    }
}
