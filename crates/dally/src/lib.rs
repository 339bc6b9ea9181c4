//! dally as a library: its command line with schedulers of your own, and programs loaded for searches of your own.
//!
//! [`Dally`] is the command line, to which [`Dally::with_scheduler`] adds a scheduler under a name: with all commands,
//! replay and traces. [`Project`] loads a P project, a Boogie or a C program, and searches it. `docs/schedulers.md` has a
//! walk through both.

mod budget;
mod check;
mod cli;
mod compare;
mod explain;
mod explore;
mod input;
mod language;
mod outcome;
mod output;
mod own;
mod p_flags;
mod preprocess;
mod print;
mod project;
mod regression;
mod replay;
mod rules;
mod sequentialize;
mod show;
mod status_line;
mod traces;
mod verify;

use std::ffi::OsString;

use clap::FromArgMatches;

use dally_schedule::OwnScheduler;

use crate::output::Exit;
use crate::own::OwnSchedulers;
pub use project::{LoadError, Project};

/// The command line, with the schedulers of the program that embeds it.
///
/// ```no_run
/// use dally_schedule::{OwnScheduler, Rr};
///
/// fn main() -> std::process::ExitCode {
///     dally::Dally::new().with_scheduler(OwnScheduler::new("mine", "as rr", Rr::default())).main()
/// }
/// ```
#[derive(Clone, Debug, Default)]
pub struct Dally {
    own: OwnSchedulers,
}

impl Dally {
    /// The command line of dally.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a scheduler: `--scheduler` knows its name, alone, in lists and under rules, and traces replay with it.
    #[must_use]
    pub fn with_scheduler(mut self, scheduler: OwnScheduler) -> Self {
        self.own.0.push(scheduler);
        self
    }

    /// Runs the command that the arguments of the process give.
    pub fn main(&self) -> std::process::ExitCode {
        self.exit(std::env::args_os()).into()
    }

    /// Runs the command that these arguments give, of which the first is the name of the program. Returns its exit code.
    pub fn run(&self, arguments: impl IntoIterator<Item = impl Into<OsString>>) -> u8 {
        self.exit(arguments.into_iter().map(Into::into)).code()
    }

    fn exit(&self, arguments: impl Iterator<Item = OsString>) -> Exit {
        let command = cli::command();
        let arguments = match p_flags::translate(cli::join_optional_values(arguments), &command) {
            Ok(arguments) => arguments,
            Err(message) => return output::complain(&message),
        };
        let matches = command.try_get_matches_from(arguments);
        match matches.and_then(|matches| cli::Cli::from_arg_matches(&matches)) {
            Ok(arguments) => run(arguments, &self.own),
            Err(message) => output::usage(&message),
        }
    }
}

fn run(mut arguments: cli::Cli, own: &OwnSchedulers) -> Exit {
    arguments.color.write_global();
    if let Some(program) = arguments.command.program_mut()
        && let Err(message) = program.find_files()
    {
        return output::complain(&message);
    }
    match arguments.command {
        cli::Command::Check(check) => check::run(&check, own),
        cli::Command::Compare(arguments) => compare::run(&arguments, own),
        cli::Command::Replay(replay) => replay::run(&replay, own),
        cli::Command::Show(show) => show::run(&show),
        cli::Command::Explore(arguments) => explore::run(&arguments, own),
        cli::Command::Print(print) => print::run(&print),
        cli::Command::Sequentialize(arguments) => sequentialize::run(&arguments),
        cli::Command::Verify(arguments) => verify::run(&arguments),
        cli::Command::Explain(explain) => explain::run(&explain),
        cli::Command::Man(man) => manual(&man),
        cli::Command::Completions { shell } => completions(shell),
    }
}

fn completions(shell: clap_complete::Shell) -> Exit {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut cli::command(), "dally", &mut script);
    output::stdout(&script)
}

/// Manual pages follow from the definitions of the flags.
fn manual(arguments: &cli::Man) -> Exit {
    let command = cli::command();
    if let Some(folder) = &arguments.folder {
        return match clap_mangen::generate_to(command, folder) {
            Ok(()) => Exit::Success,
            Err(error) => output::complain(&format!("cannot write to `{folder}`: {error}")),
        };
    }
    let mut page = Vec::new();
    match clap_mangen::Man::new(command).render(&mut page) {
        Ok(()) => output::stdout(&page),
        Err(error) => output::complain(&format!("cannot write the page: {error}")),
    }
}
