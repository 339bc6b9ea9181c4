//! The flags of `dally explore`.

use clap::Args;

use super::{ProgramArgs, RuleArgs};

/// Walk through the states of a program in a browser
///
/// Serves a page on this machine only, at an address with a random token, until Ctrl-C. The page shows the enabled tasks
/// of a state in the order of the scheduler, what each step would do, the values and the path, and searches for a bug from
/// there.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
                  dally explore program.bpl             then open the address that is printed\n  \
                  dally explore --test T project.pproj  a test of a P program\n  \
                  dally explore --port 8000 main.c      at a fixed port")]
pub(crate) struct Explore {
    #[command(flatten)]
    pub(crate) program: ProgramArgs,

    /// The order of tasks from which delays deviate [default: rr, and rtc for P]
    #[arg(long, value_name = "NAME")]
    pub(crate) scheduler: Option<String>,

    #[command(flatten)]
    pub(crate) order: RuleArgs,

    /// The port on 127.0.0.1; 0 is any free one
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) port: u16,
}
