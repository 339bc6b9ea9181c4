//! The flags, each defined once. Help and completions are derived from the definitions.

mod c;
mod check;
mod compare;
mod explore;
mod reports;
mod rules;
mod traces;
mod verify;

use clap::{Args, Parser, Subcommand, ValueEnum};
use dally_bpl::ProgramOptions;
use dally_text::source::SourceMap;
use dally_trace::Source;

pub(crate) use c::{CArgs, ExternalArg};
pub(crate) use check::{Check, LivenessArg};
pub(crate) use compare::Compare;
pub(crate) use explore::Explore;
pub(crate) use reports::{CaseFiles, ReportFiles};
pub(crate) use rules::RuleArgs;
pub(crate) use traces::{Replay, Show, TraceFiles};
pub(crate) use verify::{BoundArgs, Sequentialize, Track, Translation, Verify};

/// dally finds bugs in asynchronous programs, and proves their absence where it can, by exploring few delays.
#[derive(Debug, Parser)]
#[command(
    name = "dally",
    version,
    about = "Finds bugs in asynchronous programs by exploring few delays",
    long_about = "dally finds bugs in asynchronous programs by exploring few delays.\n\n\
                  A deterministic scheduler fixes one order of tasks; each time it is told to delay the task \
                  that it would run next, one more deviation is explored. Programs are written in Boogie with \
                  asynchronous calls (.bpl), also in the spellings of c2s and Corral, in P (.p, .pproj, or a \
                  folder), or in C with threads (.c, .i).",
    after_help = "Exit codes:\n  \
                  0  no bug, and no error\n  \
                  1  a bug was found\n  \
                  2  usage or input error\n  \
                  3  inconclusive, or a construct that is not supported",
    subcommand_required = true,
    arg_required_else_help = true
)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,

    /// When to use colours
    #[arg(long, value_enum, value_name = "WHEN", default_value_t = Color::Auto, global = true)]
    pub(crate) color: Color,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Check(Box<Check>),
    Compare(Compare),
    Replay(Replay),
    Show(Show),
    Explore(Explore),
    Print(Print),
    Sequentialize(Sequentialize),
    Verify(Verify),

    Explain(Explain),

    Man(Man),

    /// Print a completion script for a shell
    #[command(
        after_help = "Example:\n  dally completions bash > ~/.local/share/bash-completion/completions/dally"
    )]
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
}

/// The flag as a trace records it.
pub(crate) const MODULAR: &str = "--modular";

/// The program, and the flags with which it is loaded.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct ProgramArgs {
    /// The files of the program; `-` is standard input [default: the project or the only program in the current folder]
    #[arg(value_name = "FILE")]
    pub(crate) files: Vec<String>,

    /// Where execution starts; by default the procedures marked {:entrypoint}, or main
    #[arg(long, value_name = "NAME")]
    pub(crate) entry: Option<String>,

    /// Let the scheduler preempt a task before each statement that accesses a shared variable
    #[arg(long)]
    pub(crate) preempt: bool,

    /// The test of a P program to run; optional if there is only one
    #[arg(long, value_name = "NAME")]
    pub(crate) test: Option<String>,

    /// Each procedure by itself, against contracts: a flag of dally verify.
    #[arg(skip)]
    pub(crate) modular: bool,

    /// Generic declarations are replaced by their instances: for dally verify.
    #[arg(skip)]
    pub(crate) monomorphic: bool,

    #[command(flatten)]
    pub(crate) c: CArgs,
}

impl Command {
    /// The program of the command, if its files may be left out.
    pub(crate) fn program_mut(&mut self) -> Option<&mut ProgramArgs> {
        match self {
            Self::Check(check) => Some(&mut check.program),
            Self::Compare(Compare { program, .. })
            | Self::Explore(Explore { program, .. })
            | Self::Sequentialize(Sequentialize { program, .. })
            | Self::Verify(Verify { program, .. }) => Some(program),
            Self::Replay(_) | Self::Show(_) | Self::Print(_) => None,
            Self::Explain(_) | Self::Man(_) | Self::Completions { .. } => None,
        }
    }
}

impl ProgramArgs {
    /// Without files, selects the program in the current folder.
    pub(crate) fn find_files(&mut self) -> Result<(), String> {
        if self.files.is_empty() {
            self.files.push(crate::language::program_in(std::path::Path::new("."))?);
        }
        Ok(())
    }

    /// The files and flags, as a trace records them.
    pub(crate) fn source(&self, sources: &SourceMap) -> Source {
        Source {
            files: self.files.clone(),
            relative: Vec::new(),
            hash: Source::hash(sources),
            entry: self.entry.clone(),
            preempt: self.preempt,
            test: self.test.clone(),
            flags: self.modular.then(|| MODULAR.to_owned()).into_iter().chain(self.c.recorded()).collect(),
        }
    }

    /// The given flags that have a meaning in some languages only.
    pub(crate) fn language_flags(&self) -> Vec<&'static str> {
        let flags =
            [("--entry", self.entry.is_some()), ("--preempt", self.preempt), ("--test", self.test.is_some())];
        let given = flags.into_iter().filter_map(|(flag, given)| given.then_some(flag));
        given.chain(self.c.given()).collect()
    }

    /// The options that all engines share.
    pub(crate) fn options(&self) -> ProgramOptions {
        ProgramOptions { entry: self.entry.clone(), preempt: self.preempt }
    }
}

/// The definition of the command line. Help hides flags that a command does not support.
pub(crate) fn command() -> clap::Command {
    let without_tests = |command: clap::Command| command.mut_arg("test", |test| test.hide(true));
    let command = <Cli as clap::CommandFactory>::command();
    command.mut_subcommand("verify", without_tests).mut_subcommand("sequentialize", without_tests)
}

/// A duration, with units.
fn time(text: &str) -> Result<std::time::Duration, String> {
    use humantime::DurationError;
    humantime::parse_duration(text).map_err(|error| match error {
        // These messages have an example.
        DurationError::UnknownUnit { .. } => error.to_string(),
        _ => format!("{error}; a time is a number with a unit, such as 30s, 5m or 1h30m"),
    })
}

/// A number of bytes, with a unit: a plain number is hardly meant to be bytes.
fn size(text: &str) -> Result<bytesize::ByteSize, String> {
    if text.trim().bytes().last().is_some_and(|last| last.is_ascii_digit() || last == b'.') {
        return Err(format!("memory unit needed, for example {0}G or {0}M", text.trim()));
    }
    text.parse()
}

/// Joins flags whose value is optional and their values with `=`: without it, the next argument could be a file as
/// well as a value. A number after `--choice-cost` is its value; write `./0` for a file of that name.
pub(crate) fn join_optional_values(
    arguments: impl Iterator<Item = std::ffi::OsString>,
) -> Vec<std::ffi::OsString> {
    let mut joined = Vec::new();
    let mut arguments = arguments.peekable();
    while let Some(mut argument) = arguments.next() {
        let is_value: fn(&str) -> bool = match argument.to_str() {
            Some("--liveness") => |next| LivenessArg::from_str(next, false).is_ok(),
            Some("--choice-cost") => {
                |next| !next.is_empty() && next.bytes().all(|byte| byte.is_ascii_digit())
            }
            _ => |_| false,
        };
        if let Some(value) = arguments.next_if(|next| next.to_str().is_some_and(is_value)) {
            argument.push("=");
            argument.push(value);
        }
        joined.push(argument);
    }
    joined
}

/// Check a program and print it in canonical form
///
/// Parses the files as one program, resolves names, checks types, and prints the program in canonical form: one
/// layout, one spelling of each asynchronous construct. All syntax errors are reported at once; if there are none, all
/// errors of names and types.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
                  dally print program.bpl           check it and print it\n  \
                  dally print library.bpl main.bpl  several files are one program\n  \
                  generator | dally print -         read standard input\n  \
                  dally print program.c             the Boogie program that a C program is lowered to\n  \
                  dally print --json program.bpl    errors as JSON, for editors and scripts\n\n\
                  Spellings that mean the same:\n  \
                  call {:async} p(e);        async call p(e);\n  \
                  call {:async} t := p(e);   call {:async t} r := p(e);\n  \
                  call r := wait(t);         assume {:wait r, t} true;\n  \
                  yield;                     assume {:yield} true;  call corral_yield();")]
pub(crate) struct Print {
    /// The files of the program; `-` is standard input
    #[arg(required = true, value_name = "FILE")]
    pub(crate) files: Vec<String>,

    #[command(flatten)]
    pub(crate) c: CArgs,

    /// Print the result as one JSON object
    #[arg(long)]
    pub(crate) json: bool,
}

/// Explain the code of an error or warning
///
/// Says what the code means and what to do about it.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  dally explain E0306")]
pub(crate) struct Explain {
    /// The code, such as E0306; without one, all codes are listed
    pub(crate) code: Option<String>,
}

/// Print the manual page, or write the pages of all commands to a folder
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
                  dally man | man -l -                   read the page\n  \
                  dally man ~/.local/share/man/man1      install the pages of all commands")]
pub(crate) struct Man {
    /// The folder for the pages of all commands
    #[arg(value_name = "FOLDER")]
    pub(crate) folder: Option<String>,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum Color {
    /// On terminals, unless NO_COLOR is set
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}

impl Color {
    /// Applies the choice to all output.
    pub(crate) fn write_global(self) {
        match self {
            Color::Auto => anstream::ColorChoice::Auto,
            Color::Always => anstream::ColorChoice::Always,
            Color::Never => anstream::ColorChoice::Never,
        }
        .write_global();
    }
}
