//! The configuration of a search.

use std::path::PathBuf;
use std::time::Duration;

use dally_schedule::sample::SamplerName;
use shuttle::MaxSteps;

use crate::Strategy;

/// The configuration of a search.
///
/// ```
/// use dally_shuttle::{Config, Strategy};
///
/// let config = Config { delays: Some(2), strategies: Strategy::list("rr, rr:reverse")?, ..Config::default() };
/// # Ok::<(), dally_shuttle::NameError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Config {
    /// The strategies, explored side by side under one bound. The default is [`Strategy::portfolio`], and
    /// [`Strategy::dpor`] for tests that use the types of [`sync`](crate::sync).
    pub strategies: Vec<Strategy>,
    /// The samplers of random executions. They take turns with the strategies, one execution each, unless `delays`
    /// limits the search: walks have any number of delays. A failing walk is shrunk to few delays of `rr`. The default
    /// is `urw`, `random`, `pct:3` and `delays`.
    pub samplers: Vec<SamplerName>,
    /// The highest bound on delays (or preemptions). Without one, which is the default, the bound rises until every
    /// execution is covered, or another limit is reached.
    pub delays: Option<u32>,
    /// The limit on executions. The default is 10,000.
    pub schedules: Option<u64>,
    /// The limit on the steps of an execution. A longer one fails (a livelock), or is cut off. The default is shuttle's:
    /// an execution fails after a million steps.
    pub steps: MaxSteps,
    /// The time limit: a running execution is cut off, and no further one begins.
    pub time: Option<Duration>,
    /// The values that `shuttle::rand` returns.
    pub values: Values,
    /// True if an inconclusive search fails the test, as it does if `DALLY_STRICT` is set in the environment. For CI;
    /// the default is false.
    pub fail_if_inconclusive: bool,
    /// The folder for a page of a failing execution, to be opened in a browser. By default, the one named by `DALLY_HTML` in
    /// the environment, if any; [`explore`](crate::explore) ignores the environment.
    pub html: Option<PathBuf>,
    /// Shuttle's own configuration, for all other settings: size of stacks, warnings, shutdown.
    pub shuttle: shuttle::Config,
}

impl Default for Config {
    fn default() -> Self {
        let shuttle = shuttle::Config::default();
        Self {
            strategies: Strategy::portfolio().into_iter().chain([Strategy::dpor()]).collect(),
            samplers: default_samplers(),
            delays: None,
            schedules: Some(10_000),
            steps: shuttle.max_steps,
            time: None,
            values: Values::default(),
            fail_if_inconclusive: false,
            html: None,
            shuttle,
        }
    }
}

/// The samplers, the most successful first: it takes the first turn.
fn default_samplers() -> Vec<SamplerName> {
    vec![SamplerName::Urw, SamplerName::Random, SamplerName::Pct(3), SamplerName::Delays(None)]
}

impl Config {
    /// Shuttle's own configuration, without its time limit and its printing of schedules, which this crate replaces.
    pub(crate) fn for_shuttle(&self) -> shuttle::Config {
        let mut config = self.shuttle.clone();
        config.max_steps = self.steps;
        config.max_time = None;
        config.failure_persistence = shuttle::FailurePersistence::None;
        config
    }
}

/// The values that `shuttle::rand` returns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Values {
    /// Pseudo-random numbers that vary, the default: each random walk has a seed of its own. The systematic search has
    /// the same one in all executions of a bound, since an execution must repeat the beginning of another; when it has
    /// covered everything, it begins again with the next seed, up to a hundred times. The seed is part of a schedule.
    /// Verdicts hold for these numbers.
    #[default]
    Vary,
    /// Pseudo-random numbers, the same in every execution. Verdicts hold for these numbers.
    Seed(u64),
    /// One of this many values, evenly spread: `gen_range(0..n)` with this n, or `gen::<bool>()` with 2, returns
    /// each of its values in some execution. Every value is tried, at no cost. The program may distinguish more values
    /// than these: verdicts hold for these values.
    Choose(u32),
}

impl Values {
    /// The nth of several values, evenly spread over both halves of 64 bits: `rand` uses the highest bits of the 32 or 64
    /// that it draws.
    pub(crate) fn spread(nth: usize, of: u32) -> u64 {
        let half = ((nth as u64) << 32).div_ceil(u64::from(of));
        half << 32 | half
    }
}
