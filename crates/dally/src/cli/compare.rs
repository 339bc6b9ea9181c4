//! The flags of `dally compare`.

use clap::Args;

use super::{ProgramArgs, RuleArgs, size};

/// Compare schedulers: which one finds a bug first, or covers most
///
/// Searches the program once under each scheduler, one after another, each with the same budget, and prints a line for
/// each: the bound at which the bug was found, or the last bound that was completed, with states, transitions and time.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
                  dally compare program.p                       the schedulers of the table\n  \
                  dally compare --scheduler rr,rtc program.p    these\n  \
                  dally compare --rules mine.rules program.p    also each of them with rules\n  \
                  dally compare --csv --time 1m program.bpl     for a spreadsheet")]
pub(crate) struct Compare {
    #[command(flatten)]
    pub(crate) program: ProgramArgs,

    /// The schedulers, such as rr,rtc [default: rr,rr:reverse,rtc,random:1,dfs,dfw,pct:1,3]
    #[arg(long, value_name = "NAMES")]
    pub(crate) scheduler: Option<String>,

    #[command(flatten)]
    pub(crate) order: RuleArgs,

    /// The maximum number of delays
    #[arg(long, value_name = "K")]
    pub(crate) delays: Option<u32>,

    /// Explore all orders of steps, also of steps that commute
    #[arg(long)]
    pub(crate) no_reduction: bool,

    /// Stop each search after this time
    #[arg(long, value_name = "TIME", default_value = "10s", value_parser = super::time)]
    pub(crate) time: std::time::Duration,

    /// Stop each search when it holds this much memory, such as 4G; by default, most of the free memory
    #[arg(long, value_name = "SIZE", value_parser = size)]
    pub(crate) memory: Option<bytesize::ByteSize>,

    /// The number of threads, which does not affect the result [default: the number of cores]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub(crate) threads: Option<u16>,

    /// Print comma-separated values
    #[arg(long, conflicts_with = "json")]
    pub(crate) csv: bool,

    /// Print the result as one JSON object
    #[arg(long)]
    pub(crate) json: bool,
}
