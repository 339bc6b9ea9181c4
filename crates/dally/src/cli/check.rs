//! The flags of `dally check`.

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Args, ValueEnum};
use dally_explore::{SchedulerName, StrategyName};
use dally_schedule::sample::names::SAMPLERS;
use dally_schedule::table::{Family, STRATEGIES};
use dally_schedule::{PORTFOLIO, Vocabulary};

use super::{ProgramArgs, ReportFiles, RuleArgs, TraceFiles, size};

/// Search for a bug: few delays first
///
/// Explores the executions of the program in the order of the number of delays that they need. The search stops at the
/// first bug, when all executions are covered, or when a budget is exhausted, and reports which. A bug is reported with
/// its schedule.
#[derive(Debug, Args)]
#[command(after_help = check_help())]
pub(crate) struct Check {
    #[command(flatten)]
    pub(crate) program: ProgramArgs,

    /// Print the names of the tests of a P program, and exit
    #[arg(long)]
    pub(crate) list_tests: bool,

    /// The order of tasks from which delays deviate [default: rr, and rtc for P]
    #[arg(long, value_name = "NAMES")]
    pub(crate) scheduler: Option<String>,

    #[command(flatten)]
    pub(crate) order: RuleArgs,

    /// Search for cycles that violate a liveness property (hot states of P monitors, globals marked {:hot}). HOW is map,
    /// ndfs, iterative-ndfs or off [default: map if the program declares a liveness property]
    #[arg(long, value_enum, value_name = "HOW", num_args = 0..=1, require_equals = true, default_missing_value = "map",
          hide_possible_values = true)]
    pub(crate) liveness: Option<LivenessArg>,

    /// Report unfair cycles too: they may starve an enabled task, or never take an option of `$$` or `choose`
    #[arg(long)]
    pub(crate) unfair: bool,

    /// The maximum number of delays; by default the bound is raised until the search ends
    #[arg(long, value_name = "K")]
    pub(crate) delays: Option<u32>,

    /// The maximum cost of an execution: its delays, and its choices of values other than the first
    #[arg(long, value_name = "K")]
    pub(crate) bound: Option<u32>,

    /// Explore exactly the executions within the bound: store each state once per scheduler state
    #[arg(long)]
    pub(crate) exact: bool,

    /// Explore all orders of steps, also of steps that commute
    #[arg(long)]
    pub(crate) no_reduction: bool,

    /// The unit of the bound
    #[arg(long, value_name = "WHAT", default_value = "delays", value_parser = bounded())]
    pub(crate) bounded: Bounded,

    /// Sample random executions instead of searching: by all samplers in turn, or by those of a list
    #[arg(long, value_name = "SAMPLERS", num_args = 0..=1, require_equals = true, default_missing_value = PORTFOLIO)]
    pub(crate) sample: Option<String>,

    /// The number of executions to sample [default: 10,000 if there is no --time]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) walks: Option<u64>,

    /// Cut executions off after this many steps [default: no limit in the search, 10,000 in samples]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) steps: Option<u32>,

    /// Leave out the states in which this Boogie expression over the globals is false; may be repeated
    #[arg(long, value_name = "EXPR")]
    pub(crate) constraint: Vec<String>,

    /// The cost of a chosen value other than the first, if there are more than two; --exact implies 0 [default: 1]
    #[arg(long, value_name = "N", num_args = 0..=1, require_equals = true, default_missing_value = "1")]
    pub(crate) choice_cost: Option<u8>,

    /// Choices among at most this many values cost nothing
    #[arg(long, value_name = "N", default_value_t = 2)]
    pub(crate) free_options: u32,

    /// Stop after this time, such as 30s or 5m
    #[arg(long, value_name = "TIME", value_parser = super::time)]
    pub(crate) time: Option<std::time::Duration>,

    /// Stop when the search holds this much memory, such as 4G; by default, most of the free memory
    #[arg(long, value_name = "SIZE", value_parser = size)]
    pub(crate) memory: Option<bytesize::ByteSize>,

    /// The number of threads, which does not affect the result [default: the number of cores]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub(crate) threads: Option<u16>,

    /// Search systematically only; by default, long searches sample random executions as well
    #[arg(long)]
    pub(crate) no_sample: bool,

    /// The seed of --sample, and of `--scheduler random`, also in a portfolio
    #[arg(long, value_name = "SEED")]
    pub(crate) seed: Option<u64>,

    #[command(flatten)]
    pub(crate) written: TraceFiles,

    #[command(flatten)]
    pub(crate) reports: ReportFiles,

    /// Print the result as one JSON object
    #[arg(long)]
    pub(crate) json: bool,
}

impl Check {
    /// The number of threads: as many as there are cores, unless it is given.
    pub(crate) fn thread_count(&self) -> usize {
        let cores = || std::thread::available_parallelism().map_or(1, usize::from);
        self.threads.map_or_else(cores, usize::from)
    }

    /// The cost of a chosen value other than the first.
    pub(crate) fn cost_of_choices(&self) -> u32 {
        let default = if self.exact || self.bounded.0.is_some() { 0 } else { 1 };
        self.choice_cost.map_or(default, u32::from)
    }

    /// The given flags that have a meaning in some languages only.
    pub(crate) fn language_flags(&self) -> Vec<&'static str> {
        let flags = [("--list-tests", self.list_tests), ("--constraint", !self.constraint.is_empty())];
        let given = flags.into_iter().filter_map(|(flag, given)| given.then_some(flag));
        self.program.language_flags().into_iter().chain(given).collect()
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum LivenessArg {
    /// Maximal accepting predecessors, kept from bound to bound
    Map,
    /// Nested depth-first search at the given bound; without a bound, on the fly
    Ndfs,
    /// Nested depth-first search at each bound
    IterativeNdfs,
    /// No search for cycles
    Off,
}

/// The unit of the bound: delays, or the unit of a baseline.
#[derive(Clone, Debug)]
pub(crate) struct Bounded(pub(crate) Option<StrategyName>);

/// `delays`, and the baselines of the table of strategies.
fn bounded() -> impl TypedValueParser<Value = Bounded> {
    let baselines = STRATEGIES.iter().filter(|row| row.family == Family::Baseline);
    let baselines = baselines.map(|row| PossibleValue::new(row.keyword).help(row.deviation));
    let delays = PossibleValue::new("delays").help("deviates from the order of the scheduler");
    PossibleValuesParser::new(std::iter::once(delays).chain(baselines))
        .map(|name| Bounded((name != "delays").then(|| StrategyName::known_or_custom(&name))))
}

/// The examples of `dally check`, and the table of schedulers.
fn check_help() -> String {
    let examples = "\
Examples:
  dally check program.bpl                       deepen until a bug, a proof, or Ctrl-C
  dally check --delays 2 --time 1m program.bpl  within a bound and a budget
  dally check --scheduler portfolio program.bpl several orders of tasks, side by side
  dally check --trace bug.json program.bpl      write the trace; then: dally replay bug.json
  dally check --html bug.html program.bpl       write the trace as a page for a browser
  dally check --coverage c.html program.p       a page with what was reached, and at which bound
  dally check --test T project.pproj            a test of a P program
  dally check main.c queue.c                    a C program with threads
  dally check --liveness --unfair program.p     executions that never make progress
  dally check --rule 'Timer last' program.p     change the order of tasks (docs/schedulers.md)
  dally check --sample --time 1m program.p      random executions instead of a search";
    let schedulers: String = Vocabulary::SCHEDULERS
        .rows()
        .map(|row| format!("  {}\n      {}\n", row.forms.join(", "), row.order))
        .collect();
    let names = |schedulers: Vec<SchedulerName>| {
        let names: Vec<String> = schedulers.iter().map(ToString::to_string).collect();
        names.join(", ")
    };
    let portfolio = names(SchedulerName::portfolio());
    let for_p = names(SchedulerName::message_portfolio());
    let samplers: String =
        SAMPLERS.iter().map(|row| format!("  {}\n      {}\n", row.forms.join(", "), row.order)).collect();
    format!(
        "{examples}\n\nSamplers, one or a list such as random,pct:3:\n{samplers}\nSchedulers, one or a list such as \
         rr,rtc:\n{schedulers}  {PORTFOLIO}\n      {portfolio}; for P: {for_p}"
    )
}
