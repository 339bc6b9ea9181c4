//! What to explore, and how far.

use std::time::Duration;

use shuttle::MaxSteps;

use crate::Strategy;

/// What to explore, and how far.
///
/// ```
/// use dally_shuttle::{Config, Strategy};
///
/// let config = Config { delays: Some(2), strategies: Strategy::list("rr, rr:reverse")?, ..Config::default() };
/// # Ok::<(), dally_shuttle::NameError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Config {
    /// The orders of tasks to depart from, side by side, under one bound. The default is a portfolio:
    /// [`Strategy::portfolio`].
    pub strategies: Vec<Strategy>,
    /// The highest number of delays (or preemptions); without it, the bound grows until everything is covered,
    /// or another limit is reached. This is the default.
    pub delays: Option<u32>,
    /// The highest number of executions. The default is 10,000.
    pub schedules: Option<u64>,
    /// How long an execution may be, and whether one that is longer has failed (a livelock), or is cut off. The
    /// default is shuttle's: it fails after a million steps.
    pub steps: MaxSteps,
    /// The time after which no more executions begin, and a running one is cut off.
    pub time: Option<Duration>,
    /// What `shuttle::rand` returns.
    pub values: Values,
    /// Shuttle's own configuration, for what is not said here: size of stacks, warnings, shutdown.
    pub shuttle: shuttle::Config,
}

impl Default for Config {
    fn default() -> Self {
        let shuttle = shuttle::Config::default();
        Self {
            strategies: Strategy::portfolio(),
            delays: None,
            schedules: Some(10_000),
            steps: shuttle.max_steps,
            time: None,
            values: Values::default(),
            shuttle,
        }
    }
}

impl Config {
    /// Shuttle's own configuration. Limits in time and the printing of schedules are ours.
    pub(crate) fn for_shuttle(&self) -> shuttle::Config {
        let mut config = self.shuttle.clone();
        config.max_steps = self.steps;
        config.max_time = None;
        config.failure_persistence = shuttle::FailurePersistence::None;
        config
    }
}

/// What `shuttle::rand` returns.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Values {
    /// Pseudo-random numbers, the same in every execution. What is proved holds for these numbers.
    Seed(u64),
    /// One of this many values, evenly spread: `gen_range(0..n)` with this n, or `gen::<bool>()` with 2, returns
    /// each of its values in some execution. Every one of them is tried, and costs no delay.
    /// Whether a program tells more than these apart is not known: what is proved holds for these values.
    Choose(u32),
}

impl Default for Values {
    fn default() -> Self {
        Self::Seed(0)
    }
}

impl Values {
    /// The nth of several values, evenly spread over both halves of 64 bits: `rand` looks at the highest bits of
    /// what it needs.
    pub(crate) fn spread(nth: usize, of: u32) -> u64 {
        let half = ((nth as u64) << 32).div_ceil(u64::from(of));
        half << 32 | half
    }
}
