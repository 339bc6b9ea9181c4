//! The flags for rules.

use clap::Args;

/// Rules that change the order of the scheduler.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct RuleArgs {
    /// A file of rules that change the order of the scheduler; may be repeated
    #[arg(long, value_name = "FILE")]
    pub(crate) rules: Vec<String>,

    /// A rule that changes the order of the scheduler, such as 'Timer last'; may be repeated
    #[arg(long, value_name = "RULE")]
    pub(crate) rule: Vec<String>,
}
